// The life of a cache in the files of a simulated machine, beside a model: a durable table and a speculative one, whose entries end, slide, have tags, are
// small, large or shared; the program's own objects, batches and roots in the same pile; commits, checkpoints and copies among which others go on; sessions
// in which the pile has no cache, or gets one later; closed, killed and cut between operations and within them, opens among them. What was committed is
// there, what was removed is not, what neither covers is as it was once since, and what is speculative may be missing where the docs say so.
using System;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class CacheLife
{
    private const int AloneStepsMax = 40;

    private readonly LifeWorld _world;
    private readonly LifeModel _model;
    private readonly LifeImages _images;
    private readonly LifeCommits _commits;
    private readonly LifeCopies _copies;
    private readonly Random _random;

    internal CacheLife(int seed)
    {
        _world = new LifeWorld(seed);
        _random = _world.Random;
        _model = new LifeModel(_world);
        _images = new LifeImages(_world, _model);
        _commits = new LifeCommits(_world, _model, _images);
        _copies = new LifeCopies(_world, _model, _images);
    }

    /// <summary>Kills and cuts within operations whose outcome was opened and compared.</summary>
    internal int Within => _images.Compared;

    /// <summary>Cuts and kills between operations.</summary>
    internal int Between { get; private set; }

    /// <summary>How often something was done while a commit or a checkpoint was at work.</summary>
    internal int Meanwhiles => _commits.Meanwhiles;

    internal void Run(int sessions, int steps)
    {
        try
        {
            var files = new SimulatedFiles();
            for (int session = 0; session < sessions; session++)
            {
                files = Live(files, session, _random.Next(1, steps));
            }

            files.Dispose();
        }
        catch (Exception failure)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
            throw new ModelMismatchException(detector, $"seed {_world.Seed}, {_world.At}: {failure.Message}", failure);
        }
    }

    /// <summary>Lives from one open to what ends it.</summary>
    /// <returns>The files that the next one finds.</returns>
    private SimulatedFiles Live(SimulatedFiles files, int session, int steps)
    {
        int kind = _random.Next(8);
        _world.At = $"session {session}, open{(kind == 0 ? " without a cache" : kind == 1 ? ", the cache later" : string.Empty)}";
        _images.Begin(files);
        using ObjectPile? pile = kind < 2 ? Open(files) : null;
        for (int step = pile is null ? 0 : _random.Next(1, AloneStepsMax); step > 0; step--)
        {
            _world.At = $"session {session}, {step} steps before the end without a cache";
            DoAlone(pile!, files);
        }

        if (kind == 0)
        {
            return End(files, pile!, pile!, mapped: null, session);
        }

        if (pile is not null)
        {
            _world.At = $"session {session}, the cache comes";
            _images.Begin(files);
        }

        using var mapped = new MappedCache(files, _world.Clock, LifeWorld.LimitBytes, directory: _world.Directory, shared: pile);
        _images.End();
        _world.MakeSpeculative(mapped);
        _model.Compare(mapped);
        _images.Compare(LifeStep.Single, _model.Known());
        _world.IsCacheClosed = false;
        for (int step = steps; step > 0; step--)
        {
            _world.At = $"session {session}, {step} steps before its end";
            Do(mapped);
        }

        _model.Compare(mapped);
        return End(files, mapped, mapped.Cache.Pile, mapped, session);
    }

    /// <summary>Opens the pile without a cache.</summary>
    private ObjectPile Open(SimulatedFiles files)
    {
        ObjectPile pile = ObjectPile.Open(_world.Directory, MappedCache.Options(files) with { DiskLimitBytes = LifeWorld.LimitBytes });
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        _images.End();
        _model.CompareOwn(pile);
        _images.Compare(LifeStep.Single, _model.Known());
        return pile;
    }

    /// <summary>A step of the program's, whose pile has no cache.</summary>
    private void DoAlone(ObjectPile pile, SimulatedFiles files)
    {
        LifeMoment before = _model.Known();
        LifeStep step = LifeStep.Single;
        Action done = static () => { };
        if (_random.Next(6) == 0)
        {
            _images.Begin(files);
        }

        switch (_random.Next(200))
        {
            case < 160:
                step = _model.ChangeOwn(pile);
                break;
            case < 180:
                done = _commits.Run(pile, files, mapped: null);
                break;
            case < 190:
                _world.At += ", compact";
                _ = pile.Compact(1.05, default);
                break;
            case < 195:
                _copies.Run(pile, files, mapped: null, goesOnInIt: false);
                break;
            case 195:
                step = LifeStep.EmptyingAll;
                done = ClearAll(pile);
                break;
            default:
                _world.Clock.Move(TimeSpan.FromSeconds(_random.Next(100)));
                break;
        }

        _images.End();
        _images.Compare(step, before);
        done();
    }

    private void Do(MappedCache mapped)
    {
        LifeMoment before = _model.Known();
        LifeStep step = LifeStep.Single;
        Action done = static () => { };
        int choice = _random.Next(1000);
        if (_random.Next(choice >= 900 ? 3 : 12) == 0)
        {
            _images.Begin(mapped.Files);
        }

        switch (choice)
        {
            case < 900:
                step = _model.Change(mapped);
                break;
            case < 935:
                done = _commits.Run(mapped.Cache.Pile, mapped.Files, mapped);
                break;
            case < 945:
                done = _model.Settle(mapped);
                break;
            case < 960:
                step = LifeStep.Whole;
                _model.RemoveByTag(mapped);
                break;
            case < 975:
                _world.At += ", tick";
                mapped.Tick();
                break;
            case < 982:
                _world.At += ", compact";
                _ = mapped.Cache.Pile.Compact(1.05, default);
                break;
            case < 985:
                _copies.Run(mapped.Cache.Pile, mapped.Files, mapped, goesOnInIt: false);
                break;
            case < 995:
                _world.Clock.Move(TimeSpan.FromSeconds(_random.Next(100)));
                break;
            case < 997:
                _model.Empty(mapped, isDurable: false, drops: choice == 996);
                break;
            case < 999:
                step = LifeStep.Emptying;
                _model.Empty(mapped, isDurable: true, drops: choice == 998);
                done = _model.EmptiedForGood;
                break;
            default:
                step = LifeStep.EmptyingAll;
                done = ClearAll(mapped.Cache.Pile);
                break;
        }

        _images.End();
        _images.Compare(step, before);
        done();
    }

    private Action ClearAll(ObjectPile pile)
    {
        _world.At += ", clear of the pile";
        pile.Clear();
        _model.ClearedAll();
        return _model.Flushed;
    }

    /// <summary>Closes, kills or cuts, or goes on in a copy.</summary>
    /// <returns>The files that the next session finds.</returns>
    private SimulatedFiles End(SimulatedFiles files, IDisposable running, ObjectPile pile, MappedCache? mapped, int session)
    {
        SimulatedFiles next = files;
        switch (_random.Next(7))
        {
            case < 2:
                _world.At = $"session {session}, killed";
                Between++;
                next = LostTable.Perhaps(files.Fork(), _world.Directory, _random);
                running.Dispose();
                break;
            case < 4:
                _world.At = $"session {session}, cut";
                Between++;
                next = files.PowerCut(_random);
                using (SimulatedFiles copy = next.Fork())
                {
                    _images.CompareCut(copy, LifeStep.Single, _model.Known(), goesOn: true);
                }

                running.Dispose();
                break;
            case < 6:
                _world.At = $"session {session}, closed";
                _images.Begin(files);
                running.Dispose();
                _images.End();
                _images.Compare(LifeStep.Single, _model.Known());
                _world.IsCacheClosed |= mapped is not null;
                _model.Flushed();
                _ = LostTable.Perhaps(files, _world.Directory, _random);
                break;
            default:
                string former = _world.Directory;
                _world.At = $"session {session}, going on in a copy";
                _copies.Run(pile, files, mapped, goesOnInIt: true);
                running.Dispose();
                LifeCopies.Forget(files, former);
                break;
        }

        if (next != files)
        {
            files.Dispose();
        }

        return next;
    }
}
