// All that a cache's life consists of, each with its own model: a durable and a speculative table, objects that keys of both share, and the program's own
// objects, batches and roots in the same pile. It changes one of them at random, and compares all of them with what an open has found.
using System;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class LifeModel(LifeWorld world)
{
    private readonly DurableKeys _keys = new(world.Random, world.Clock);
    private readonly SpeculativeKeys _speculative = new(world);
    private readonly SharedKeys _shared = new(world);
    private readonly OwnObjects _own = new(world.Random);
    private readonly OwnRoots _roots = new(world);

    /// <summary>Changes something.</summary>
    /// <param name="mapped">The cache.</param>
    /// <param name="waits">Whether it may be what waits for a flush.</param>
    /// <returns>What it changes.</returns>
    internal LifeStep Change(MappedCache mapped, bool waits = true)
    {
        switch (world.Random.Next(24))
        {
            case < 4:
                return ChangeOwn(mapped.Cache.Pile);
            case < 7:
                world.At += $", {_speculative.Change(LifeWorld.Speculative(mapped))}";
                return LifeStep.Single;
            case < 10:
                world.At += $", {_shared.Change(mapped, waits)}";
                return LifeStep.Single;
            case 10:
                world.At += $", {_keys.ChangeMany(LifeWorld.Durable(mapped))}";
                return LifeStep.Single;
            default:
                world.At += $", {_keys.Change(LifeWorld.Durable(mapped))}";
                return LifeStep.Single;
        }
    }

    /// <summary>Changes something of the program's, which needs no cache.</summary>
    internal LifeStep ChangeOwn(ObjectPile pile)
    {
        switch (world.Random.Next(6))
        {
            case 0:
                world.At += $", {_roots.Change(pile, _own.Some())}";
                return LifeStep.Single;
            case < 3:
                world.At += $", {_own.ChangeMany(pile)}";
                return LifeStep.Whole;
            default:
                _own.Change(pile);
                world.At += ", an object of the program's";
                return LifeStep.Single;
        }
    }

    /// <summary>Removes what has a tag, from one of the tables or from both.</summary>
    internal void RemoveByTag(MappedCache mapped)
    {
        int tag = _keys.SomeTag();
        int where = world.Random.Next(3);
        world.At += $", removal of a tag from {(where == 0 ? "the durable table" : where == 1 ? "the speculative table" : "both tables")}";
        if (where == 2)
        {
            mapped.Cache.RemoveByTag($"tag {tag}");
        }
        else
        {
            (where == 0 ? LifeWorld.Durable(mapped) : LifeWorld.Speculative(mapped)).RemoveByTag($"tag {tag}");
        }

        if (where != 1)
        {
            _keys.RemovedByTag(tag);
        }

        if (where != 0)
        {
            _speculative.RemovedByTag(tag);
        }
    }

    /// <summary>Clears or drops a table.</summary>
    internal void Empty(MappedCache mapped, bool isDurable, bool drops)
    {
        world.At += $", {(drops ? "drop" : "clear")} of the {(isDurable ? "durable" : "speculative")} table";
        PileTable<int, byte[]> table = isDurable ? LifeWorld.Durable(mapped) : LifeWorld.Speculative(mapped);
        if (drops)
        {
            _ = mapped.Cache.DropTable(table.Name);
        }
        else
        {
            table.Clear();
        }

        if (isDurable)
        {
            _keys.Cleared();
        }
        else
        {
            _speculative.Cleared();
            world.MakeSpeculative(mapped);
        }

        _shared.Cleared(isDurable);
    }

    /// <summary>The durable table was emptied, which is durable.</summary>
    internal void EmptiedForGood()
    {
        _keys.Flushed();
        _shared.EmptiedForGood();
    }

    /// <summary>The pile was cleared.</summary>
    internal void ClearedAll()
    {
        _keys.Cleared();
        _speculative.Cleared();
        _shared.ClearedAll();
        _own.Cleared();
        _roots.Cleared();
    }

    /// <summary>Lets shared objects go that no key leads to any more, and looks whether they have.</summary>
    /// <returns>What is to be done once the images that were taken are compared.</returns>
    internal Action Settle(MappedCache mapped)
    {
        world.At += ", settling";
        _shared.Settle(mapped);
        _shared.Compare(mapped, _shared.Known(), hasSettled: true);
        return () =>
        {
            _shared.Forget(mapped);
            Flushed();
        };
    }

    internal void Mark()
    {
        _keys.Mark();
        _shared.Mark();
        _own.Mark();
        _roots.Mark();
    }

    internal void FlushedToMark()
    {
        _keys.FlushedToMark();
        _shared.FlushedToMark();
        _own.FlushedToMark();
        _roots.FlushedToMark();
    }

    internal void Flushed()
    {
        _keys.Flushed();
        _shared.Flushed();
        _own.Flushed();
        _roots.Flushed();
    }

    internal LifeMoment Known() => new(_keys.Known(), _speculative.Known(), _shared.Known(), _own.Known(), _roots.Known());

    /// <summary>Compares what is there with what is known: all of it.</summary>
    internal void Compare(MappedCache mapped)
    {
        mapped.Verify();
        _keys.Compare(LifeWorld.Durable(mapped), _keys.Known());
        _speculative.Compare(LifeWorld.Speculative(mapped));
        _shared.Compare(mapped, _shared.Known());
        CompareOwn(mapped.Cache.Pile);
    }

    /// <summary>Compares what is there of the program's.</summary>
    internal void CompareOwn(ObjectPile pile)
    {
        _ = _own.Compare(pile);
        _ = _roots.Compare(pile, _roots.Known());
    }

    /// <summary>Compares a copy with what was known when it was begun: all of it but the speculative table.</summary>
    /// <param name="mapped">The copy.</param>
    /// <param name="moment">That moment.</param>
    /// <param name="goesOn">Whether this is what is known from here on.</param>
    internal void CompareCopy(MappedCache mapped, LifeMoment moment, bool goesOn)
    {
        mapped.Verify();
        _keys.Compare(LifeWorld.Durable(mapped), moment.Keys);
        SpeculativeKeys.CompareEmpty(mapped);
        SharedKeys.SettleImage(mapped);
        _shared.Compare(mapped, moment.Shared, isCopy: true, hasSettled: true);
        _own.CompareAsOf(mapped.Cache.Pile, moment.Own);
        _ = _roots.Compare(mapped.Cache.Pile, moment.Roots, moment.Roots);
        if (goesOn)
        {
            _keys.Take(moment.Keys);
            _speculative.Cleared();
            _shared.TakeCopy(mapped, moment.Shared);
            _own.Take(mapped.Cache.Pile);
            _roots.Take(mapped.Cache.Pile);
        }
    }

    /// <summary>Each thing shows what it did before the operation or after it, and where that is whole or not at all, all of them the one or all the other.</summary>
    internal void CompareKilled(MappedCache mapped, LifeStep step, LifeMoment before)
    {
        mapped.Verify();
        int only = _keys.CompareKilled(LifeWorld.Durable(mapped), before.Keys);
        only |= _speculative.CompareKilled(LifeWorld.Speculative(mapped), before.Speculative);
        only |= _own.Compare(mapped.Cache.Pile, before.Own);
        only |= _roots.Compare(mapped.Cache.Pile, before.Roots);
        only |= _shared.CompareKilled(mapped, before.Shared);
        ModelMismatchException.Unless(step == LifeStep.Single || only != 3, "half", "some keys or objects are as before, and some as after");
    }

    /// <summary>Each thing shows what it did at the last flush or since.</summary>
    /// <param name="mapped">What was opened.</param>
    /// <param name="step">What may be whole or not at all.</param>
    /// <param name="last">What was known when the power was cut, or before the operation that it was cut in.</param>
    /// <param name="goesOn">Whether this is what is known from here on.</param>
    internal void CompareCut(MappedCache mapped, LifeStep step, LifeMoment last, bool goesOn)
    {
        mapped.Verify();
        ModelMismatchException.Unless(mapped.Cache.Pile.RecoveryReport().Damages.Count == 0, "damage", string.Join("; ", mapped.Cache.Pile.RecoveryReport().Damages));
        bool mayBeEmpty = step is LifeStep.Emptying or LifeStep.EmptyingAll;
        _keys.CompareCut(LifeWorld.Durable(mapped), last.Keys, mayBeEmpty, goesOn);

        // Closed in order, and nothing was stored since, whether or not the table is still there: then nothing is cut, but for the speculative table where that was the close of a pile without its cache.
        PileRecoveryReport report = mapped.Cache.Pile.RecoveryReport();
        bool isWhole = (report.Opening == PileOpening.Clean || mapped.Cache.Pile.Durable!.Directory.Meta.SoundSince < report.Recoveries) && (world.IsCacheClosed || LifeWorld.Speculative(mapped).Count > 0);
        if (isWhole)
        {
            _speculative.Compare(LifeWorld.Speculative(mapped));
        }
        else
        {
            SpeculativeKeys.CompareEmpty(mapped);
        }

        _own.CompareCut(mapped.Cache.Pile, last.Own, step == LifeStep.EmptyingAll);
        _roots.CompareCut(mapped.Cache.Pile, last.Roots, step == LifeStep.EmptyingAll);
        _shared.CompareCut(mapped, last.Shared, mayBeEmpty);
        if (goesOn)
        {
            if (!isWhole)
            {
                _speculative.Cleared();
            }

            _own.Take(mapped.Cache.Pile);
            _roots.Take(mapped.Cache.Pile);
            _shared.Take(mapped, isWhole);
        }
    }
}
