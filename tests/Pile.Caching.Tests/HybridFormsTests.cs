using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Caching.Hybrid;
using Pile.Format;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>How values become bytes and come back: the pile's own form, serializers and factories of the program, JSON where others read them.</summary>
public sealed class HybridFormsTests : IDisposable
{
    private readonly PileCache _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20 });
    private readonly RecordedLog _log = new();

    public enum Colour
    {
        Red,
        Green,
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ValuesOfAllKindsComeBack(bool isShared)
    {
        await AssertComesBackAsync("text", isShared);
        await AssertComesBackAsync("\u00e4\u20ac\ud83d \U0001F600", isShared);
        await AssertComesBackAsync("", isShared);
        await AssertComesBackAsync<string?>(null, isShared);
        await AssertComesBackAsync(new byte[] { 1, 2, 3 }, isShared);
        await AssertComesBackAsync(Array.Empty<byte>(), isShared);
        await AssertComesBackAsync(42, isShared);
        await AssertComesBackAsync<int?>(42, isShared);
        await AssertComesBackAsync<int?>(null, isShared);
        await AssertComesBackAsync(1.5m, isShared);
        await AssertComesBackAsync(Colour.Green, isShared);
        await AssertComesBackAsync(new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), isShared);
        await AssertComesBackAsync(new[] { 1.5, 2.5 }, isShared);
        await AssertComesBackAsync(new Point(1, 2), isShared);
        await AssertComesBackAsync<Point?>(new Point(1, 2), isShared);
        await AssertComesBackAsync(new Product(7, "seven", ["a", "b"]), isShared);
        await AssertComesBackAsync<Product?>(null, isShared);
        await AssertComesBackAsync(new List<string> { "a", "b" }, isShared);
        await AssertComesBackAsync<IReadOnlyList<int>>([1, 2, 3], isShared);
        await AssertComesBackAsync(new Dictionary<string, int> { ["a"] = 1 }, isShared);
        await AssertComesBackAsync(("ada", 36), isShared);
        await AssertComesBackAsync<(string, int)?>(("ada", 36), isShared);
        await AssertComesBackAsync(new List<(int, string)> { (1, "a"), (2, "b") }, isShared);
        await AssertComesBackAsync((1, "a", (2, "b")), isShared);
        await AssertComesBackAsync(new Dictionary<string, (int, string)> { ["a"] = (1, "b") }, isShared);
        await AssertComesBackAsync(new Named(("ada", 36), new System.Numerics.Vector3(1, 2, 3)), isShared);
        await AssertComesBackAsync(new Fields { Number = 1, Name = "a" }, isShared);
        await AssertComesBackAsync(new Mixed { Name = "a", Kind = isShared ? typeof(int) : null }, isShared);
    }

    /// <summary>Four numbers are two of twice the size, and a deploy may make a struct larger.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AValueOfAnotherTypeIsMadeAnewHoweverManyBytesItHas(bool isShared)
    {
        await AssertMadeAnewAsync(new[] { 1, 2, 3, 4 }, new[] { 5L }, isShared);
        await AssertMadeAnewAsync(new[] { 1, 2, 3, 4 }, new[] { 5f }, isShared);
        await AssertMadeAnewAsync(new[] { new Point(1, 2) }, new[] { 5L }, isShared);
        await AssertMadeAnewAsync(new[] { Colour.Green }, new[] { 5 }, isShared);
        await AssertMadeAnewAsync(42, 5f, isShared);
        await AssertMadeAnewAsync(42, Colour.Green, isShared);
        await AssertMadeAnewAsync<int?, Point>(42, new Point(1, 2), isShared);
    }

    /// <summary>A deploy may let the fields of a struct change places.</summary>
    [Fact]
    public void AStructOfAsManyBytesWhoseFieldsLieOtherwiseIsNotRead()
    {
        IForm then = Of("First", "Last");
        byte[] bytes = then.Write();
        Assert.True(then.Reads(bytes));
        Assert.True(Of("First", "Last").Reads(bytes));
        Assert.False(Of("Last", "First").Reads(bytes));

        IForm Of(params string[] fields)
        {
            TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop").DefineType("Shop.Tick", TypeAttributes.Public | TypeAttributes.SequentialLayout, typeof(ValueType));
            foreach (string field in fields)
            {
                _ = type.DefineField(field, typeof(int), FieldAttributes.Public);
            }

            return (IForm)Activator.CreateInstance(typeof(Form<>).MakeGenericType(type.CreateType()), _pile.Pile)!;
        }
    }

    public interface IForm
    {
        byte[] Write();

        bool Reads(byte[] bytes);
    }

    private sealed class Form<T>(ObjectPile pile) : IForm
        where T : struct
    {
        private readonly PileForm<T> _form = new(() => pile);

        public byte[] Write() => _form.Write(default)!;

        public bool Reads(byte[] bytes) => _form.TryReadInPlace(bytes, out _);
    }

    /// <summary>As versions wrote them that had no mark of the type.</summary>
    [Fact]
    public void NumbersOfBeforeAreRead()
    {
        var numbers = new PileForm<int[]>(() => _pile.Pile);
        Assert.True(numbers.TryReadInPlace([(byte)RecordCode.Span, 1, 0, 0, 0, 2, 0, 0, 0], out int[]? read));
        Assert.Equal([1, 2], read);
        var number = new PileForm<int>(() => _pile.Pile);
        Assert.True(number.TryReadInPlace([(byte)RecordCode.Value, 1, 0, 0, 0], out int one));
        Assert.Equal(1, one);
        foreach (byte[] damaged in new byte[][] { [16], [20], [20, 1, 2, 3], [20, 1, 2, 3, 4], [21, 1, 2, 3, 4, 5], [32, 0, 0, 0, 0, 0], [255] })
        {
            Assert.False(number.TryReadInPlace(damaged, out _));
            Assert.False(numbers.TryReadInPlace(damaged, out _));
        }
    }

    [Fact]
    public async Task ObjectsWithCyclesComeBackInThePilesForm()
    {
        var cache = new PileHybridCache(_pile);
        var node = new Ring { Name = "one" };
        node.Next = new Ring { Name = "two", Next = node };
        await cache.SetAsync("a", node, cancellationToken: Cancel);
        Ring back = await cache.GetOrCreateAsync("a", static _ => new ValueTask<Ring>(new Ring()), cancellationToken: Cancel);

        Assert.NotSame(node, back);
        Assert.Same(back, back.Next!.Next);
    }

    [Fact]
    public async Task ASerializerOfTheServicesIsUsedBeforeFactoriesAndAFactoryBeforeThePile()
    {
        await using ServiceProvider services = TestServices.With(_log, static services => services
            .AddSingleton<IHybridCacheSerializer<Product>>(new Marked<Product>("serializer", new Product(1, "s", [])))
            .AddSingleton<IHybridCacheSerializerFactory>(new MarkedFactory("first", typeof(Product), typeof(Point)))
            .AddSingleton<IHybridCacheSerializerFactory>(new MarkedFactory("second", typeof(Point))));
        var cache = new PileHybridCache(_pile, options: null, services);
        await cache.SetAsync("product", new Product(9, "", []), cancellationToken: Cancel);
        await cache.SetAsync("point", new Point(9, 9), cancellationToken: Cancel);
        await cache.SetAsync("text", "plain", cancellationToken: Cancel);

        PileTable<string, byte[]> table = _pile.GetOrCreateTable<string, byte[]>("hybrid");
        Assert.Equal("@serializer", TextOf(table, "product"));
        Assert.Equal("@second", TextOf(table, "point"));
        Assert.Equal(new Product(1, "s", []).Id, (await GetAsync<Product>(cache, "product")).Id);
        Assert.Equal("plain", await GetAsync<string>(cache, "text"));
    }

    [Fact]
    public async Task OptionsThatTheProgramHasForTheJsonOfAHybridCacheAreTaken()
    {
        var behind = new FlakyCache();
        await using ServiceProvider services = TestServices.With(_log, static services => services
            .AddKeyedSingleton<JsonSerializerOptions>(typeof(IHybridCacheSerializer<>), new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseUpper })
            .AddKeyedSingleton<JsonSerializerOptions>(typeof(IHybridCacheSerializer<Fields>), new JsonSerializerOptions { IncludeFields = true, PropertyNamingPolicy = JsonNamingPolicy.CamelCase }));
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = _ => behind }, services);
        await cache.SetAsync("product", new Product(7, "seven", []), cancellationToken: Cancel);
        await cache.SetAsync("fields", new Fields { Number = 1, Name = "a" }, cancellationToken: Cancel);

        PileTable<string, byte[]> table = _pile.GetOrCreateTable<string, byte[]>("hybrid");
        Assert.EndsWith("""{"ID":7,"NAME":"seven","PARTS":[]}""", TextOf(table, "product"), StringComparison.Ordinal);
        Assert.EndsWith("""{"number":1,"n":"a"}""", TextOf(table, "fields"), StringComparison.Ordinal);
        Assert.Equal(new Product(7, "seven", []), await GetAsync<Product>(cache, "product"));
    }

    [Fact]
    public async Task ASerializerWithTheKeyOfTheCacheComesFirst()
    {
        await using ServiceProvider services = TestServices.With(_log, static services => services
            .AddSingleton<IHybridCacheSerializer<Point>>(new Marked<Point>("common", default))
            .AddKeyedSingleton<IHybridCacheSerializer<Point>>("mine", new Marked<Point>("keyed", default)));
        var cache = new PileHybridCache(() => _pile, new PileHybridCacheOptions(), services, "mine");
        await cache.SetAsync("point", new Point(9, 9), cancellationToken: Cancel);

        Assert.Equal("@keyed", TextOf(_pile.GetOrCreateTable<string, byte[]>("hybrid"), "point"));
    }

    [Fact]
    public async Task AFactoryOfSerializersWithTheKeyOfTheCacheComesBeforeThoseWithout()
    {
        await using ServiceProvider services = TestServices.With(_log, static services => services
            .AddSingleton<IHybridCacheSerializer<Point>>(new Marked<Point>("common", default))
            .AddSingleton<IHybridCacheSerializerFactory>(new MarkedFactory("commons", typeof(Point), typeof(Product)))
            .AddKeyedSingleton<IHybridCacheSerializerFactory>("mine", new MarkedFactory("first", typeof(Point)))
            .AddKeyedSingleton<IHybridCacheSerializerFactory>("mine", new MarkedFactory("keyed", typeof(Point)))
            .AddKeyedSingleton<IHybridCacheSerializerFactory>("other", new MarkedFactory("other", typeof(Point), typeof(Product))));
        var cache = new PileHybridCache(() => _pile, new PileHybridCacheOptions(), services, "mine");
        await cache.SetAsync("point", new Point(9, 9), cancellationToken: Cancel);
        await cache.SetAsync("product", new Product(9, "", []), cancellationToken: Cancel);

        PileTable<string, byte[]> table = _pile.GetOrCreateTable<string, byte[]>("hybrid");
        Assert.Equal("@keyed", TextOf(table, "point"));
        Assert.Equal("@commons", TextOf(table, "product"));
    }

    [Fact]
    public async Task AnEntryOfAnotherTypeIsMadeAnewAndTheLogSaysSo()
    {
        await using ServiceProvider services = TestServices.With(_log);
        var cache = new PileHybridCache(_pile, options: null, services);
        await cache.SetAsync("a", "text", cancellationToken: Cancel);

        Assert.Equal(5, await cache.GetOrCreateAsync("a", static _ => new ValueTask<int>(5), cancellationToken: Cancel));
        Assert.Equal(5, await GetAsync<int>(cache, "a"));
        LogLine line = Assert.Single(_log.Lines, static line => line.Id.Id == 203);
        Assert.Equal((LogLevel.Warning, "Pile.Caching", "The entry 'a' of the table 'hybrid' could not be read as System.Int32: a miss"), (line.Level, line.Category, line.Message));
    }

    [Fact]
    public async Task ASerializerThatCanNotReadWhatStandsThereLetsItBeMadeAnew()
    {
        await using ServiceProvider services = TestServices.With(_log, static services => services.AddSingleton<IHybridCacheSerializer<Point>>(new Marked<Point>("fails", default)));
        var cache = new PileHybridCache(_pile, options: null, services);
        await cache.SetAsync("a", new Point(1, 1), cancellationToken: Cancel);

        Assert.Equal(new Point(3, 3), await cache.GetOrCreateAsync("a", static _ => new ValueTask<Point>(new Point(3, 3)), cancellationToken: Cancel));
        Assert.IsType<FormatException>(Assert.Single(_log.Lines, static line => line.Id.Id == 203).Exception);
    }

    [Fact]
    public async Task AValueThatCanNotBeKeptIsRefusedWithItsPath()
    {
        var cache = new PileHybridCache(_pile);
        PileRefusedException refused = await Assert.ThrowsAsync<PileRefusedException>(async () =>
            await cache.GetOrCreateAsync("a", static _ => new ValueTask<object>(new { Handler = new Action(static () => { }) }), cancellationToken: Cancel));
        Assert.Contains("Handler", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Or register an IHybridCacheSerializer<System.Object> among the services", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith("Handler>i__Field", refused.GraphPath, StringComparison.Ordinal);
    }

    private static string TextOf(PileTable<string, byte[]> table, string key) => table.TryGet(key, out byte[]? bytes) ? Encoding.ASCII.GetString(bytes) : "";

    private static async Task<T> GetAsync<T>(PileHybridCache cache, string key) =>
        await cache.GetOrCreateAsync<T>(key, static _ => throw new InvalidOperationException("It is not there."), cancellationToken: Cancel);

    private async Task AssertComesBackAsync<T>(T value, bool isShared)
    {
        var behind = new FlakyCache();
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions
        {
            TableName = $"forms {isShared}",
            DistributedCache = isShared ? _ => behind : null,
        });
        await cache.SetAsync("a", value, cancellationToken: Cancel);
        Assert.Equal(value, await GetAsync<T>(cache, "a"));
        if (isShared)
        {
            // Another machine, with a pile of its own.
            using PileCache elsewhere = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20 });
            Assert.Equal(value, await GetAsync<T>(new PileHybridCache(elsewhere, new PileHybridCacheOptions { DistributedCache = _ => behind }), "a"));
        }
    }

    private async Task AssertMadeAnewAsync<TStored, TAsked>(TStored stored, TAsked made, bool isShared)
    {
        var behind = new FlakyCache();
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions { TableName = $"forms {isShared}", DistributedCache = isShared ? _ => behind : null });
        await cache.SetAsync("a", stored, cancellationToken: Cancel);
        Assert.Equal(made, await cache.GetOrCreateAsync("a", _ => ValueTask.FromResult(made), cancellationToken: Cancel));
        Assert.Equal(made, await GetAsync<TAsked>(cache, "a"));
    }

    public readonly record struct Point(int X, int Y);

    public sealed record Named((string Name, int Age) Person, System.Numerics.Vector3 Place);

    public sealed record Fields
    {
#pragma warning disable CA1051 // What is looked at is what has fields alone.
        public int Number;
        [JsonPropertyName("n")]
        public string? Name;
        [JsonIgnore]
        public Type? Kind;
#pragma warning restore CA1051
    }

    /// <summary>What System.Text.Json leaves out, since it can't be written, stays out.</summary>
    public sealed record Mixed
    {
#pragma warning disable CA1051 // As above.
        public Type? Kind;
#pragma warning restore CA1051

        public string? Name { get; set; }

        public bool Equals(Mixed? other) => other?.Name == Name;

        public override int GetHashCode() => Name?.Length ?? 0;
    }

    public sealed record Product(int Id, string Name, string[] Parts)
    {
        public bool Equals(Product? other) => other is not null && Id == other.Id && Name == other.Name && Parts.SequenceEqual(other.Parts);

        public override int GetHashCode() => Id;
    }

    private sealed class Ring
    {
        internal string Name { get; init; } = "";

        internal Ring? Next { get; set; }
    }

    private sealed class Marked<T>(string mark, T value) : IHybridCacheSerializer<T>
    {
        public T Deserialize(ReadOnlySequence<byte> source) => Encoding.ASCII.GetString(source) == mark && mark != "fails" ? value : throw new FormatException(mark);

        public void Serialize(T value, IBufferWriter<byte> target) => target.Write(Encoding.ASCII.GetBytes(mark));
    }

    private sealed class MarkedFactory(string mark, params Type[] types) : IHybridCacheSerializerFactory
    {
        public bool TryCreateSerializer<T>([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
        {
            serializer = types.Contains(typeof(T)) ? new Marked<T>(mark, default!) : null;
            return serializer is not null;
        }
    }
}
