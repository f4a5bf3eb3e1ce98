// GetOrAdd over entries whose values can't be read any more: their type has changed, is unknown, or its codec throws.
// The clock stands until it is moved.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class UnreadableValueTests
{
    private static readonly PileFactoryOptions _kept = new() { FailSafe = TimeSpan.FromHours(2), Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) } };

    public enum Way
    {
        GetOrAdd,
        TryGetOrAdd,
        GetOrAddAsync,
        TryGetOrAddAsync,
        Store,
        StoreAsync,
    }

    public static TheoryData<Way> Ways => new(Enum.GetValues<Way>());

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AnEndedEntryOfATypeThatHasChangedIsMadeAnew(PileTableKind kind)
    {
        using var files = new SimulatedFiles();
        using MappedCache after = Changed(files, kind);
        PileTable<int, Person> table = after.Table<int, Person>(Options(kind));
        after.Clock.Move(TimeSpan.FromSeconds(1));
        Assert.False(table.TryGet(1, out _));
        Assert.Equal(7, table.GetOrAdd(1, static _ => new Person { Born = Day(7) }).Born.Day);
        Assert.True(table.TryGet(1, out Person? made) && made.Born.Day == 7);
        Assert.Equal(1, table.Count);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AnEndedEntryOfAnUnknownTypeIsMadeAnew(PileTableKind kind)
    {
        using var files = new SimulatedFiles();
        using MappedCache after = Unknown(files, kind);
        PileTable<int, object> table = after.Table<int, object>(Options(kind));
        after.Clock.Move(TimeSpan.FromSeconds(1));
        Assert.Equal(7, table.GetOrAdd(1, static _ => 7));
        Assert.True(table.TryGet(1, out object? made) && made is 7);
        Assert.Equal(1, table.Count);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task AnEndedEntryWhoseCodecThrowsIsMadeAnew(Way way)
    {
        PileFactoryOptions[] all =
        [
            _kept,
            _kept with { SoftTimeout = TimeSpan.FromSeconds(1) },
            _kept with { HardTimeout = TimeSpan.FromSeconds(1) },
            _kept with { StaleWhileRevalidate = TimeSpan.FromHours(1) },
            _kept with { EagerRefresh = 0.5 },
        ];
        foreach (PileFactoryOptions options in all)
        {
            var codec = new GradeCodec();
            using PileCache cache = Open(codec, out ManualClock clock);
            PileTable<int, Grade> table = cache.GetOrCreateTable<int, Grade>("table", new PileTableOptions { Factory = options });
            _ = table.GetOrAdd(1, static _ => new Grade(1));
            clock.Move(TimeSpan.FromSeconds(1));
            codec.ReadsFrom = 2;
            var made = new List<int>();
            Assert.Equal(new Grade(2), await AskAsync(table, way, options, made));
            Assert.Equal(new Grade(2), await AskAsync(table, way, options, made));
            Assert.Equal([1], made);
            Assert.True(table.TryGet(1, out Grade? kept) && kept.Number == 2);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void OneThatCantBeReadIsNotShownAgainWhenTheFactoryFails(bool isRemembered)
    {
        var codec = new GradeCodec();
        using PileCache cache = Open(codec, out ManualClock clock);
        PileFactoryOptions options = _kept with { FailureTimeToLive = isRemembered ? TimeSpan.FromMinutes(1) : null, StaleWhileRevalidate = TimeSpan.FromHours(1) };
        PileTable<int, Grade> table = cache.GetOrCreateTable<int, Grade>("table", new PileTableOptions { Factory = options });
        _ = table.GetOrAdd(1, static _ => new Grade(1));
        clock.Move(TimeSpan.FromSeconds(1));
        codec.ReadsFrom = 2;
        _ = Assert.Throws<TimeZoneNotFoundException>(() => table.GetOrAdd(1, static _ => throw new TimeZoneNotFoundException()));
        Assert.False(table.TryGet(1, out _));
        if (isRemembered)
        {
            _ = Assert.Throws<PileFactoryException>(() => table.GetOrAdd(1, static _ => new Grade(3)));
            clock.Move(TimeSpan.FromMinutes(1));
        }

        Assert.Equal(3, table.GetOrAdd(1, static _ => new Grade(3)).Number);
    }

    [Fact]
    public void OneThatCanBeReadAgainIsServedByFailSafe()
    {
        var codec = new GradeCodec();
        using PileCache cache = Open(codec, out ManualClock clock);
        PileTable<int, Grade> table = cache.GetOrCreateTable<int, Grade>("table", new PileTableOptions { Factory = _kept });
        _ = table.GetOrAdd(1, static _ => new Grade(1));
        clock.Move(TimeSpan.FromSeconds(1));
        codec.ReadsFrom = 2;
        _ = Assert.Throws<TimeZoneNotFoundException>(() => table.GetOrAdd(1, static _ => throw new TimeZoneNotFoundException()));
        codec.ReadsFrom = 0;
        Assert.Equal(1, table.GetOrAdd(1, static _ => throw new TimeZoneNotFoundException()).Number);
    }

    private static async Task<Grade> AskAsync(PileTable<int, Grade> table, Way way, PileFactoryOptions options, List<int> made)
    {
        Grade Make(int key)
        {
            made.Add(key);
            return new Grade(2);
        }

        var store = new GradeStore { Make = Make };
        switch (way)
        {
            case Way.GetOrAdd:
                return table.GetOrAdd(1, Make);
            case Way.TryGetOrAdd:
                Assert.True(table.TryGetOrAdd(1, 0, (key, _) => new PileAnswer<Grade>(Make(key)), out Grade? value));
                return value;
            case Way.GetOrAddAsync:
                return await table.GetOrAddAsync(1, (key, _) => new ValueTask<Grade>(Make(key)), cancellationToken: Stop);
            case Way.TryGetOrAddAsync:
                return (await table.TryGetOrAddAsync(1, 0, (key, _, _) => new ValueTask<PileAnswer<Grade>>(new PileAnswer<Grade>(Make(key))), cancellationToken: Stop)).Value!;
            case Way.Store:
                Assert.True(table.WithStore(store, options).TryGet(1, out value));
                return value;
            default:
                return (await table.WithStore(store, options).TryGetAsync(1, Stop)).Value!;
        }
    }

    /// <summary>A cache whose table has an entry of a type that has other fields by now.</summary>
    private static MappedCache Changed(SimulatedFiles files, PileTableKind kind)
    {
        var clock = new ManualClock();
        using (var before = new MappedCache(files, clock))
        {
            _ = before.Table<int, PersonOld>(Options(kind)).GetOrAdd(1, static _ => new PersonOld { Born = Day(1).UtcDateTime });
        }

        return new MappedCache(files, clock);
    }

    /// <summary>A cache whose table has an entry of a type that the program has not shown to it.</summary>
    private static MappedCache Unknown(SimulatedFiles files, PileTableKind kind)
    {
        var clock = new ManualClock();
        using (var before = new MappedCache(files, clock))
        {
            _ = before.Table<int, object>(Options(kind)).GetOrAdd(1, static _ => new PersonOld());
        }

        return new MappedCache(files, clock);
    }

    private static PileCache Open(GradeCodec codec, out ManualClock clock)
    {
        clock = new ManualClock();
        return PileCache.Create(
            new PileCacheOptions { MemoryLimitBytes = 8 << 20, TimeProvider = clock, BackgroundCleaning = false, Codecs = new PileCodecs().Add(7, codec) }, PileOptions.Tiny);
    }

    private static PileTableOptions Options(PileTableKind kind) => new() { Kind = kind, Factory = _kept };

    private static DateTimeOffset Day(int day) => new(2026, 1, day, 0, 0, 0, TimeSpan.Zero);

    internal sealed class PersonOld
    {
        public DateTime Born { get; set; }
    }

    [PileName("Pile.Cache.Tests.UnreadableValueTests+PersonOld")]
    internal sealed class Person
    {
        public DateTimeOffset Born { get; set; }
    }

    internal sealed record Grade(int Number);

    /// <summary>Reads from some number on.</summary>
    private sealed class GradeCodec : IPileCodec<Grade>
    {
        internal int ReadsFrom { get; set; }

        public void Write(Grade value, IBufferWriter<byte> writer) => writer.Write([(byte)value.Number]);

        public Grade Read(ReadOnlySpan<byte> payload) => payload[0] >= ReadsFrom ? new Grade(payload[0]) : throw new InvalidDataException($"{payload[0]} is of before");
    }

    private sealed class GradeStore : IPileStore<int, Grade>
    {
        internal required Func<int, Grade> Make { get; init; }

        public ValueTask<PileAnswer<Grade>> LoadAsync(int key, CancellationToken cancellationToken) => new(new PileAnswer<Grade>(Make(key)));

        public ValueTask SaveAsync(int key, Grade value, CancellationToken cancellationToken) => default;

        public ValueTask DeleteAsync(int key, CancellationToken cancellationToken) => default;
    }
}
