// Between what callers hold and the messages of the protocol.
// Ranges are the server's to judge, but for what the protocol can't even say.
using System;
using Google.Protobuf;

namespace Pile.Client.Calls;

/// <summary>Forms of terms, tables and figures.</summary>
internal static class WireForm
{
    /// <summary>The terms of an entry; null where they say nothing.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A time is zero or less.</exception>
    internal static V1.EntryTerms? TermsOf(in PileClientTerms terms)
    {
        if (terms == default)
        {
            return null;
        }

        var form = new V1.EntryTerms
        {
            TimeToLiveMs = Milliseconds(terms.TimeToLive, nameof(terms.TimeToLive)),
            SlidingMs = Milliseconds(terms.SlidingExpiration, nameof(terms.SlidingExpiration)),
            EndsAtUnixMs = UnixOf(terms.AbsoluteExpiration),
            Priority = (V1.Priority)(int)terms.Priority,
        };
        if (terms.Tags is { } tags)
        {
            form.Tags.AddRange(tags);
        }

        return form;
    }

    /// <summary>Refuses terms that can't be sent.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A time is zero or less.</exception>
    internal static void Check(in PileClientTerms terms)
    {
        _ = Milliseconds(terms.TimeToLive, nameof(terms.TimeToLive));
        _ = Milliseconds(terms.SlidingExpiration, nameof(terms.SlidingExpiration));
    }

    /// <summary>A time in milliseconds, at least one; 0 for none.</summary>
    internal static ulong Milliseconds(TimeSpan? time, string name) => time switch
    {
        null => 0,
        { Ticks: > 0 } => (ulong)long.Max(1, (long)time.Value.TotalMilliseconds),
        _ => throw new ArgumentOutOfRangeException(name, time, "It must be more than zero."),
    };

    /// <summary>A time of so many milliseconds; one beyond what .NET can say is as long as it can.</summary>
    internal static TimeSpan SpanOf(ulong milliseconds) =>
        TimeSpan.FromTicks((long)ulong.Min(milliseconds, (ulong)(TimeSpan.MaxValue.Ticks / TimeSpan.TicksPerMillisecond)) * TimeSpan.TicksPerMillisecond);

    /// <summary>A moment in milliseconds since 1970; 0 for none. What was before is the first of them: it has passed either way.</summary>
    internal static ulong UnixOf(DateTimeOffset? moment) => moment is null ? 0 : (ulong)long.Max(1, moment.Value.ToUnixTimeMilliseconds());

    /// <summary>What asks for a table.</summary>
    internal static V1.CreateTableRequest RequestOf(string table, PileClientTableOptions? options) => new() { Table = table, Options = OptionsOf(options ?? new PileClientTableOptions()) };

    internal static V1.TableOptions OptionsOf(PileClientTableOptions options)
    {
        return new V1.TableOptions
        {
            Kind = options.IsDurable ? V1.TableKind.Durable : V1.TableKind.Speculative,
            DefaultTimeToLiveMs = options.DefaultTimeToLive == TimeSpan.Zero ? 0 : Milliseconds(options.DefaultTimeToLive, nameof(options.DefaultTimeToLive)),
            DefaultPriority = (V1.Priority)(int)options.DefaultPriority,
            EntriesMax = Count(options.EntriesMax, nameof(options.EntriesMax)),
            BytesMax = Count(options.BytesMax, nameof(options.BytesMax)),
            BytesMin = Count(options.BytesMin, nameof(options.BytesMin)),
            InitialEntries = Count(options.InitialEntries, nameof(options.InitialEntries)),
        };

        static ulong Count(long value, string name) => value >= 0 ? (ulong)value : throw new ArgumentOutOfRangeException(name, value, "It must be 0 or more.");
    }

    internal static PileTableDescription DescriptionOf(V1.TableDescription form)
    {
        V1.TableOptions options = form.Options ?? new V1.TableOptions();
        return new PileTableDescription(
            form.Table,
            new PileClientTableOptions
            {
                IsDurable = options.Kind == V1.TableKind.Durable,
                DefaultTimeToLive = SpanOf(options.DefaultTimeToLiveMs),
                DefaultPriority = (PileClientPriority)(int)options.DefaultPriority,
                EntriesMax = CountOf(options.EntriesMax),
                BytesMax = CountOf(options.BytesMax),
                BytesMin = CountOf(options.BytesMin),
                InitialEntries = CountOf(options.InitialEntries),
            },
            FiguresOf(form.Figures));

        static long CountOf(ulong value) => (long)ulong.Min(value, long.MaxValue);
    }

    internal static PileClientFigures FiguresOf(V1.CacheFigures? form) => form is null
        ? new PileClientFigures(0, 0, 0, 0, 0, 0, 0)
        : new PileClientFigures((long)form.Entries, (long)form.EntryBytes, (long)form.Hits, (long)form.Misses, (long)form.Evictions, (long)form.Expirations, (long)form.DamagedEntries);

    internal static PileServerStats StatsOf(V1.StatsReply form) => new(
        FiguresOf(form.Figures), (long)form.UsedBytes, (long)form.MemoryLimitBytes, (long)form.IndexBytes, (long)form.Calls, (long)form.FailedCalls,
        (long)form.ReceivingBytes, (long)form.ReceiveBudgetBytes, form.Version);

    internal static V1.EntryVersion VersionOf(PileClientVersion version) => new() { Number = version.Number, CreatedMs = version.CreatedMs };

    internal static ByteString KeyOf(PileKey key) => UnsafeByteOperations.UnsafeWrap(key.AsMemory());

    internal static ByteString ValueOf(ReadOnlyMemory<byte> value) => UnsafeByteOperations.UnsafeWrap(value);
}
