// GetOrAdd over entries whose values can't be read any more: their type has changed, is unknown, or its codec throws.
// The clock stands until it is moved.
using System;
using System.Buffers;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Diagnostics;
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
            Assert.Equal((new Grade(2), new Grade(2), 1), await AskTwiceAsync(table, way, options, static () => new Grade(2)));
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

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task AnEntryOfATypeThatHasChangedIsMadeAnewWhereItMayBeEvicted(Way way)
    {
        foreach (PileFactoryOptions options in new[] { _kept, _kept with { EagerRefresh = 0.5 } })
        {
            using var files = new SimulatedFiles();
            using MappedCache after = Changed(files, PileTableKind.Speculative);
            PileTable<int, Person> table = after.Table<int, Person>(Options(PileTableKind.Speculative) with { Factory = options });
            _ = Assert.Throws<PileTypeMismatchException>(() => table.TryGet(1, out _));
            (Person first, Person second, int calls) = await AskTwiceAsync(table, way, options, static () => new Person { Born = Day(7) });
            Assert.Equal((7, 7, 1), (first.Born.Day, second.Born.Day, calls));
            Assert.True(table.TryGet(1, out Person? made) && made.Born.Day == 7);
            Assert.Equal(1, table.Count);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task AnEntryOfAnUnknownTypeIsMadeAnewWhereItMayBeEvicted(Way way)
    {
        foreach (PileFactoryOptions options in new[] { _kept, _kept with { EagerRefresh = 0.5 } })
        {
            using var files = new SimulatedFiles();
            using MappedCache after = Unknown(files, PileTableKind.Speculative);
            PileTable<int, object> table = after.Table<int, object>(Options(PileTableKind.Speculative) with { Factory = options });
            _ = Assert.Throws<PileUnknownTypeException>(() => table.TryGet(1, out _));
            Assert.Equal((7, 7, 1), await AskTwiceAsync<object>(table, way, options, static () => 7));
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task AnEntryOfADurableTableThatCantBeReadThrowsAndStays(Way way)
    {
        foreach (PileFactoryOptions options in new[] { _kept, _kept with { EagerRefresh = 0.5 } })
        {
            using var files = new SimulatedFiles();
            using MappedCache after = Unknown(files, PileTableKind.Durable);
            PileTable<int, object> table = after.Table<int, object>(Options(PileTableKind.Durable) with { Factory = options });
            _ = await Assert.ThrowsAsync<PileUnknownTypeException>(() => AskTwiceAsync<object>(table, way, options, static () => 7));
            after.Cache.Pile.Types.Add<PersonOld>();
            Assert.True(table.TryGet(1, out object? stays) && stays is PersonOld);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task AnEntryWhoseCodecThrowsThrowsAndStaysWhateverTheTable(Way way)
    {
        foreach (PileTableKind kind in Enum.GetValues<PileTableKind>())
        {
            var codec = new GradeCodec();
            using PileCache cache = Open(codec, out _);
            PileTable<int, Grade> table = cache.GetOrCreateTable<int, Grade>("table", Options(kind));
            table.Set(1, new Grade(1));
            codec.ReadsFrom = 2;
            _ = await Assert.ThrowsAsync<InvalidDataException>(() => AskTwiceAsync(table, way, _kept, static () => new Grade(2)));
            codec.ReadsFrom = 0;
            Assert.True(table.TryGet(1, out Grade? stays) && stays.Number == 1);
        }
    }

    [Fact]
    public void AFailureIsRememberedInThePlaceOfAnEntryThatCantBeRead()
    {
        using var files = new SimulatedFiles();
        using MappedCache after = Unknown(files, PileTableKind.Speculative);
        PileTable<int, object> table = after.Table<int, object>(Options(PileTableKind.Speculative) with { Factory = _kept with { FailureTimeToLive = TimeSpan.FromMinutes(1) } });
        _ = Assert.Throws<TimeZoneNotFoundException>(() => table.GetOrAdd(1, static _ => throw new TimeZoneNotFoundException()));
        _ = Assert.Throws<PileFactoryException>(() => table.GetOrAdd(1, static _ => 7));
    }

    [Fact]
    public void AnEntryThatCantBeReadStaysWhereTheFactoryFails()
    {
        using var files = new SimulatedFiles();
        using MappedCache after = Unknown(files, PileTableKind.Speculative);
        PileTable<int, object> table = after.Table<int, object>(Options(PileTableKind.Speculative));
        _ = Assert.Throws<TimeZoneNotFoundException>(() => table.GetOrAdd(1, static _ => throw new TimeZoneNotFoundException()));
        after.Cache.Pile.Types.Add<PersonOld>();
        Assert.True(table.TryGet(1, out object? stays) && stays is PersonOld);
    }

    [Fact]
    public async Task ThatEntriesAreMadeAnewIsSaidOnceForTheTable()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        using (var before = new MappedCache(files, clock))
        {
            before.Table<int, object>().SetMany([1, 2], [new PersonOld(), new PersonOld()]);
        }

        using var after = new MappedCache(files, clock);
        using var listener = new HeardEvents<string>(after.Cache.Pile.Tag, nameof(PileEventSource.EntryUnreadable), static told => $"{told[0]}: {told[1]}");
        PileTable<int, object> table = after.Table<int, object>();
        _ = table.GetOrAdd(1, static _ => 7);
        _ = table.GetOrAdd(2, static _ => 7);
        await EventsAside.Written;
        Assert.StartsWith("table: A stored object is of type ", Assert.Single(listener.Events), StringComparison.Ordinal);
    }

    /// <summary>Asks twice, and counts the calls of the factory.</summary>
    private static async Task<(T First, T Second, int Calls)> AskTwiceAsync<T>(PileTable<int, T> table, Way way, PileFactoryOptions options, Func<T> make)
        where T : notnull
    {
        var store = new CountingStore<T>(make);
        return (await AskAsync(table, way, options, store), await AskAsync(table, way, options, store), store.Calls);
    }

    private static async Task<T> AskAsync<T>(PileTable<int, T> table, Way way, PileFactoryOptions options, CountingStore<T> store)
        where T : notnull
    {
        switch (way)
        {
            case Way.GetOrAdd:
                return table.GetOrAdd(1, _ => store.Make());
            case Way.TryGetOrAdd:
                Assert.True(table.TryGetOrAdd(1, store, static (_, store) => new PileAnswer<T>(store.Make()), out T? value));
                return value;
            case Way.GetOrAddAsync:
                return await table.GetOrAddAsync(1, (_, _) => new ValueTask<T>(store.Make()), cancellationToken: Stop);
            case Way.TryGetOrAddAsync:
                return (await table.TryGetOrAddAsync(1, store, static (key, store, token) => store.LoadAsync(key, token), cancellationToken: Stop)).Value!;
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

    private sealed class CountingStore<T>(Func<T> make) : IPileStore<int, T>
        where T : notnull
    {
        internal int Calls { get; private set; }

        public ValueTask<PileAnswer<T>> LoadAsync(int key, CancellationToken cancellationToken) => new(new PileAnswer<T>(Make()));

        public ValueTask SaveAsync(int key, T value, CancellationToken cancellationToken) => default;

        public ValueTask DeleteAsync(int key, CancellationToken cancellationToken) => default;

        internal T Make()
        {
            Calls++;
            return make();
        }
    }
}
