using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Pile.Primitives;

namespace Pile.Tests.Durability.Kill;

/// <summary>Chooses when to kill: at each point so often, and so often at any time; over piles of both promises that live for some
/// twenty children each.</summary>
internal sealed class KillPlan(int seed, Func<string[], Process> start) : IDisposable
{
    private const int ChildrenOfOne = 20;

    // Passed once or twice in the life of a directory, when it is new.
    private static readonly StopPoint[] _ofCreation = [StopPoint.ExtentCreated, StopPoint.TableAllocated];
    private readonly Random _random = new(seed);
    private readonly Dictionary<StopPoint, int> _rarity = [];
    private readonly TemporaryDirectory _directory = new();
    private KillRun? _run;
    private int _runs;
    private int _ofRun;

    /// <summary>Kills by point.</summary>
    /// <summary>The points of the pile: a cache's are its own tests' business.</summary>
    internal static StopPoint[] Points { get; } = [.. Enum.GetValues<StopPoint>().Where(static point => point < StopPoint.CacheAppended)];

    internal Dictionary<StopPoint, int> Hits { get; } = Points.ToDictionary(static point => point, static _ => 0);

    /// <summary>Kills at any time.</summary>
    internal int AnyTime { get; private set; }

    /// <summary>Children that came to their end before they passed the point so often.</summary>
    internal int Missed { get; private set; }

    /// <summary>Calls that were acknowledged, and that a kill cut short.</summary>
    internal (long Acknowledged, long CutShort) Calls { get; private set; }

    /// <summary>Batches that a kill cut short.</summary>
    internal long BatchesCutShort { get; private set; }

    /// <summary>How children opened what the one before had left, by <see cref="PileOpening"/>.</summary>
    internal int[] Openings { get; } = new int[4];

    internal int Kills => AnyTime + Hits.Values.Sum();

    /// <summary>Kills a child at a point.</summary>
    /// <returns>False when the child did not pass it often enough.</returns>
    internal bool KillAt(StopPoint point)
    {
        bool isOfCreation = Array.IndexOf(_ofCreation, point) >= 0;
        int most = _rarity.GetValueOrDefault(point, isOfCreation || point >= StopPoint.RecoveryTable ? 1 : 64);
        bool isHit = RunOf(isNew: isOfCreation).Next(point, 1 + _random.Next(most), calls: point == StopPoint.CloseSynced ? 20 : 150);
        Hits[point] += isHit ? 1 : 0;
        Missed += isHit ? 0 : 1;
        _rarity[point] = isHit ? most : int.Max(1, most / 2);
        return isHit;
    }

    /// <summary>Kills a child after it has said a number of things.</summary>
    internal void KillAnyTime() => AnyTime += RunOf(isNew: false).Next(null, 1 + _random.Next(4000), calls: 600) ? 1 : 0;

    /// <inheritdoc/>
    public void Dispose() => _directory.Dispose();

    /// <summary>What was done, for the test's output.</summary>
    internal string Histogram()
    {
        string opened = string.Join(", ", Enum.GetValues<PileOpening>().Select(opening => $"{opening} {Openings[(int)opening]}"));
        string[] points = [.. Hits.Select(static hit => $"{hit.Key,-20}{hit.Value,5} {new string('#', int.Min(hit.Value, 60))}")];
        return $"""
            {Kills} kills, {AnyTime} of them at any time, in {_runs} directories; {Calls.Acknowledged:N0} calls acknowledged, {Calls.CutShort} cut short; {BatchesCutShort} batches among them; {Missed} children ended before their point
            opened: {opened}
            {string.Join(Environment.NewLine, points)}
            """;
    }

    /// <summary>Ends the present directory: it opens and closes in order, and holds what it held.</summary>
    internal void EndRun()
    {
        if (_run is { } run)
        {
            run.End();
            Calls = (Calls.Acknowledged + run.Model.Acknowledged, Calls.CutShort + run.Model.CutShort);
            BatchesCutShort += run.Model.BatchesCutShort;
            for (int index = 0; index < Openings.Length; index++)
            {
                Openings[index] += run.Openings[index];
            }

            _run = null;
        }
    }

    private KillRun RunOf(bool isNew)
    {
        if (_run is null || isNew || _ofRun++ >= ChildrenOfOne)
        {
            EndRun();
            string path = Path.Combine(_directory.Path, $"{_runs}");
            _run = new KillRun(path, _runs % 2 == 0 ? PilePromise.PowerSafe : PilePromise.ProcessSafe, (seed * 100) + _runs, start);
            _runs++;
            _ofRun = 0;
        }

        return _run;
    }
}
