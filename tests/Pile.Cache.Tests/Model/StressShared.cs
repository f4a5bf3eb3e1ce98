// A key that all threads change and read. Who reads sees no value that was outdated when the read began (KeyOrder).
using System;

namespace Pile.Cache.Tests.Model;

/// <summary>Such a key. Thread-safe.</summary>
internal sealed class StressShared(StressRun run, int key, string name)
{
    private readonly KeyOrder _order = new();

    internal string Name => name;

    /// <summary>A call.</summary>
    internal void Call(Random random)
    {
        switch (random.Next(12))
        {
            case < 3:
                Set(random);
                break;
            case 3:
                Change(change => run.Table.Add(name, ValueOf(change, random)).IsStored);
                break;
            case 4:
                Update(random);
                break;
            case 5:
                Change(_ => run.TryRemove(() => run.Table.Remove(name), out bool _));
                break;
            case 6:
                Make(random);
                break;
            default:
                long completed = _order.Completed;
                if (run.Table.TryGet(name, out byte[]? value))
                {
                    Check(value, completed, "read");
                }

                break;
        }
    }

    /// <summary>A clear of all keys is a change of each.</summary>
    internal KeyOrder.Change BeginClear() => _order.Begin();

    /// <inheritdoc cref="BeginClear"/>
    internal void EndClear(KeyOrder.Change change) => _order.End(change, isDone: true);

    private byte[] ValueOf(KeyOrder.Change change, Random random) => StressValue.Of(key, change.Number, run.BytesOf(random));

    private void Set(Random random) => Change(change =>
    {
        PileSetOutcome outcome = run.Table.Set(name, ValueOf(change, random)).Outcome;
        run.Unless(outcome is PileSetOutcome.Inserted or PileSetOutcome.Replaced || (outcome == PileSetOutcome.Full && run.NoteFull()), "set", $"key {key}: {outcome}");
        return outcome != PileSetOutcome.Full;
    });

    private void Update(Random random) => Change(change =>
    {
        long completed = _order.Completed;
        return run.Table.Update(name, ValueOf(change, random), (former, next) =>
        {
            Check(former, completed, "update");
            return next;
        }).IsStored;
    });

    // What a factory makes is as old as the moment at which it was called, where no stored value can have left since.
    private void Make(Random random)
    {
        long completed = _order.Completed;
        KeyOrder.Change change = _order.Begin();
        byte[] found = run.Table.GetOrAdd(name, change, (_, made) =>
        {
            if (!run.Setting.MayLose)
            {
                _order.NoteMade(made);
            }

            return ValueOf(made, random);
        });
        if (StressValue.NumberOf(key, found) != change.Number)
        {
            Check(found, completed, "make");
        }

        _order.End(change, isDone: false);
    }

    private void Change(Func<KeyOrder.Change, bool> work)
    {
        KeyOrder.Change change = _order.Begin();
        bool isDone = work(change);
        _order.End(change, isDone);
    }

    private void Check(byte[] value, long completed, string at)
    {
        string? problem = _order.Problem(StressValue.NumberOf(key, value), completed);
        run.Unless(problem is null, at, $"shared key {key}: {problem}");
    }
}
