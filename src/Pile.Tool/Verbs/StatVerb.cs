// pile stat: of a directory what lives, what is dead, what is free, and where: segments by fill and age, as a picture; of a server what its
// cache holds and has done, once or again and again.
// The counts of a directory are exact: the entries of a cache are counted by opening it, as a program would.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Text.Json;
using Pile.Cache;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>stat</c>.</summary>
internal static class StatVerb
{
    private const int HeadEvery = 20;
    private const int Column = 12;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.WherePile();
        Option<bool> watch = new("--watch") { Description = "Of a server: go on, a line a time, until Ctrl+C." };
        Option<TimeSpan?> every = FollowOptions.Every();
        Option<int> count = FollowOptions.Count();
        Command verb = VerbBuilder.Verb(
            "stat",
            "Of a directory: counts what lives and what is dead, and draws the segments by fill and age. Of a server: what its cache holds and has done.",
            where,
            (run, parsed) => run.Address is null ? Run(run)
                : parsed.GetValue(watch) ? Watch(run, FollowOptions.Of(parsed.GetValue(every)), parsed.GetValue(count))
                : Once(run),
            watch,
            every,
            count);
        verb.Aliases.Add("stats");
        verb.Validators.Add(result =>
        {
            if (result.GetResult(watch) is { Implicit: false } && result.GetResult(where) is { Tokens: [var given] } && !Place.IsAddress(given.Value))
            {
                result.AddError($"--watch is for servers: '{given.Value}' is a directory, and nothing changes in it while this command has it open.");
            }
        });
        return verb;
    }

    /// <summary>Writes the figures of a server and what happened since an earlier sample.</summary>
    internal static void WriteRates(Utf8JsonWriter json, VerbRun run, Sample before, Sample now)
    {
        Write(json, now.Cache);
        json.WriteNumber("hitsPerSecond", now.Rate(run, before, before.Cache.Counts.Hits, now.Cache.Counts.Hits));
        json.WriteNumber("missesPerSecond", now.Rate(run, before, before.Cache.Counts.Misses, now.Cache.Counts.Misses));
        json.WriteNumber("evictionsPerSecond", now.Rate(run, before, before.Cache.Counts.Evictions, now.Cache.Counts.Evictions));
        json.WriteNumber("callsPerSecond", now.Rate(run, before, before.Cache.Server!.Calls, now.Cache.Server!.Calls));
    }

    private static ExitCode Once(VerbRun run)
    {
        using IEntries entries = run.OpenEntries();
        CacheRow cache = entries.Figures();
        ServerRow server = cache.Server!;
        run.Write(
            json => Write(json, cache),
            text => text.Pairs(
            [
                ("version", server.Version.Split('+')[0]),
                ("entries", $"{Amount.Count(cache.Counts.Entries)}, {Amount.Bytes(cache.Counts.EntryBytes)}"),
                ("used", $"{Amount.Bytes(cache.UsedBytes)} of {Amount.Bytes(cache.LimitBytes)}, indexes {Amount.Bytes(cache.IndexBytes)}"),
                ("hits", $"{Amount.Count(cache.Counts.Hits)}, {Amount.Percent(cache.Counts.Hits, cache.Counts.Hits + cache.Counts.Misses)} of the reads"),
                ("misses", Amount.Count(cache.Counts.Misses)),
                ("evictions", Amount.Count(cache.Counts.Evictions)),
                ("expirations", Amount.Count(cache.Counts.Expirations)),
                ("damaged entries", Amount.Count(cache.Counts.DamagedEntries)),
                ("calls", $"{Amount.Count(server.Calls)}, {Amount.Count(server.FailedCalls)} failed"),
                ("receiving", $"{Amount.Bytes(server.ReceivingBytes)} of {Amount.Bytes(server.ReceiveBudgetBytes)}"),
            ]));
        return ExitCode.Ok;
    }

    private static ExitCode Watch(VerbRun run, TimeSpan every, int count)
    {
        run.BeginLines();
        using IEntries entries = run.OpenEntries();
        int lines = 0;
        Sample.Follow(run, entries, every, count, withTables: false, (before, now) => run.WriteAgain(
            json => WriteRates(json, run, before, now),
            text =>
            {
                if (lines++ % HeadEvery == 0)
                {
                    text.Cut(Row(["entries", "used", "calls/s", "hits/s", "misses/s", "hit share", "evicted/s"]));
                }

                double hits = now.Rate(run, before, before.Cache.Counts.Hits, now.Cache.Counts.Hits);
                double misses = now.Rate(run, before, before.Cache.Counts.Misses, now.Cache.Counts.Misses);
                text.Cut(Row(
                [
                    Amount.Count(now.Cache.Counts.Entries), Amount.Bytes(now.Cache.UsedBytes),
                    Amount.Count((long)now.Rate(run, before, before.Cache.Server!.Calls, now.Cache.Server!.Calls)), Amount.Count((long)hits), Amount.Count((long)misses), Amount.Percent(hits, hits + misses),
                    Amount.Count((long)now.Rate(run, before, before.Cache.Counts.Evictions, now.Cache.Counts.Evictions)),
                ]));
            }));
        return ExitCode.Ok;
    }

    private static string Row(string[] cells) => string.Concat(Array.ConvertAll(cells, static cell => cell.PadLeft(Column)));

    private static void Write(Utf8JsonWriter json, CacheRow cache)
    {
        ServerRow server = cache.Server!;
        json.WriteString("version", server.Version);
        CountsJson.Write(json, cache.Counts);
        json.WriteNumber("usedBytes", cache.UsedBytes);
        json.WriteNumber("memoryLimitBytes", cache.LimitBytes);
        json.WriteNumber("indexBytes", cache.IndexBytes);
        json.WriteNumber("calls", server.Calls);
        json.WriteNumber("failedCalls", server.FailedCalls);
        json.WriteNumber("receivingBytes", server.ReceivingBytes);
        json.WriteNumber("receiveBudgetBytes", server.ReceiveBudgetBytes);
    }

    private static ExitCode Run(VerbRun run)
    {
        if (CacheTables.HasAny(PileInspection.Of(run.Directory!, run.Stop)))
        {
            try
            {
                using PileCache cache = run.OpenCache(run.Directory!);
                using var entries = new DirectoryEntries(cache, run.Directory!);
                return Run(run, cache.Pile, entries.Figures());
            }
            catch (PileCorruptedException)
            {
                run.Say("the pile is damaged, and the entries of its cache are counted as dead.");
            }
        }

        using ObjectPile pile = run.OpenToRead(run.Directory!);
        return Run(run, pile, null);
    }

    private static ExitCode Run(VerbRun run, ObjectPile pile, CacheRow? cache)
    {
        IReadOnlyList<PileSegment> segments = run.WithProgress("counting", ofBytes: false, _ => pile.ListSegments());
        PileStatistics statistics = pile.GetStatistics();
        run.Write(json => Write(json, statistics, segments, cache), text => Write(text, statistics, segments, cache));
        return Damage.CodeOf(run, pile);
    }

    private static void Write(TextOutput text, PileStatistics statistics, IReadOnlyList<PileSegment> segments, CacheRow? cache)
    {
        long resident = statistics.SegmentBytes - statistics.FreeSegmentBytes;
        text.Pairs(
        [
            ("objects", Amount.Count(statistics.Objects)),
            .. cache is null ? Array.Empty<(string, string)>() :
            [
                ("cache entries", $"{Amount.Count(cache.Counts.Entries)}, {Amount.Bytes(cache.Counts.EntryBytes)}"),
                ("cache indexes", Amount.Bytes(cache.IndexBytes)),
            ],
            ("live", $"{Amount.Bytes(statistics.LiveBytes)}, {Amount.Percent(statistics.LiveBytes, resident)} of the segments in use"),
            ("segments", $"{Amount.Bytes(resident)} in use, {Amount.Bytes(statistics.FreeSegmentBytes)} free"),
            ("waiting", $"{Amount.Count(statistics.RetiredSegments)} retired, {Amount.Count(statistics.QuarantinedSegments)} quarantined"),
            ("large objects", $"{Amount.Count(statistics.LargeObjects)}, {Amount.Bytes(statistics.LargeBytes)}"),
            ("table", $"{Amount.Bytes(statistics.TableBytes)}, {Amount.Count(statistics.SlotsIssued)} slots issued, {Amount.Count(statistics.SlotsRetired)} used up"),
            ("used", Amount.Bytes(statistics.UsedBytes)),
            ("free on the device", statistics.DiskFreeBytes is { } free ? Amount.Bytes(free) : "not known"),
        ]);
        if (segments.Count > 0)
        {
            text.Line();
            SegmentPicture.Write(text, segments, VerbRun.HasBlocks);
        }
    }

    private static void Write(Utf8JsonWriter json, PileStatistics statistics, IReadOnlyList<PileSegment> segments, CacheRow? cache)
    {
        json.WriteNumber("objects", statistics.Objects);
        json.WriteNumber("liveBytes", statistics.LiveBytes);
        json.WriteNumber("segmentBytes", statistics.SegmentBytes);
        json.WriteNumber("freeSegmentBytes", statistics.FreeSegmentBytes);
        json.WriteNumber("retiredSegments", statistics.RetiredSegments);
        json.WriteNumber("quarantinedSegments", statistics.QuarantinedSegments);
        json.WriteNumber("largeObjects", statistics.LargeObjects);
        json.WriteNumber("largeBytes", statistics.LargeBytes);
        json.WriteNumber("tableBytes", statistics.TableBytes);
        json.WriteNumber("slotsIssued", statistics.SlotsIssued);
        json.WriteNumber("slotsRetired", statistics.SlotsRetired);
        json.WriteNumber("usedBytes", statistics.UsedBytes);
        json.NumberOrNull("diskFreeBytes", statistics.DiskFreeBytes);
        json.NumberOrNull("cacheEntries", cache?.Counts.Entries);
        json.NumberOrNull("cacheEntryBytes", cache?.Counts.EntryBytes);
        json.NumberOrNull("cacheIndexBytes", cache?.IndexBytes);
        json.Array("segments", segments, segment =>
        {
            json.WriteNumber("index", segment.Index);
            json.WriteString("state", segment.State.ToString());
            json.WriteNumber("sequence", segment.Sequence);
            json.WriteNumber("bytes", segment.Bytes);
            json.WriteNumber("writtenBytes", segment.WrittenBytes);
            json.WriteNumber("liveBytes", segment.LiveBytes);
        });
    }
}
