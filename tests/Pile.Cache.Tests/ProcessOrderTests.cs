using System;
using System.Buffers;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.Specialized;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Keys that hold items in the order of their hash codes: another process writes other bytes for an equal one.</summary>
public sealed class ProcessOrderTests
{
    public interface IOpener
    {
        void Open(PileCache cache, PileTableOptions? options);

        List<int> Listed(PileCache cache, object key);
    }

    [Theory]
    [InlineData(typeof(Tagged<ImmutableHashSet<string>>), "System.Collections.Immutable.ImmutableHashSet<System.String>")]
    [InlineData(typeof(Tagged<ImmutableDictionary<string, int>>), "System.Collections.Immutable.ImmutableDictionary<System.String, System.Int32>")]
    [InlineData(typeof(Tagged<FrozenDictionary<(string, int), int>>), "System.Collections.Frozen.FrozenDictionary<")]
    [InlineData(typeof(Tagged<FrozenSet<Place>>), "System.Collections.Frozen.FrozenSet<")]
    [InlineData(typeof(Tagged<ImmutableHashSet<Spot>>), "System.Collections.Immutable.ImmutableHashSet<")]
    [InlineData(typeof(Tagged<ImmutableHashSet<Combined>>), "System.Collections.Immutable.ImmutableHashSet<")]
    [InlineData(typeof(FrozenSet<string>), "System.Collections.Frozen.FrozenSet<System.String>")]
    [InlineData(typeof(Tagged<ConcurrentDictionary<int, int>>), "System.Collections.Concurrent.ConcurrentDictionary<System.Int32, System.Int32>")]
    [InlineData(typeof(Tagged<Hashtable>), "System.Collections.Hashtable")]
    [InlineData(typeof(Tagged<NameValueCollection>), "System.Collections.Specialized.NameValueCollection")]
    [InlineData(typeof(Tagged<Shared>), "Pile.Cache.Tests.ProcessOrderTests.Shared")]
    [InlineData(typeof(Tagged<List<FrozenSet<string>[]>>), "System.Collections.Frozen.FrozenSet<System.String>")]
    [InlineData(typeof(Tagged<ImmutableDictionary<int, FrozenSet<string>>>), "System.Collections.Frozen.FrozenSet<System.String>")]
    [InlineData(typeof((int, FrozenSet<string>)), "System.Collections.Frozen.FrozenSet<System.String>")]
    [InlineData(typeof(Derived), "System.Collections.Immutable.ImmutableHashSet<System.String>")]
    [InlineData(typeof(Abstract), "System.Collections.Immutable.ImmutableHashSet<System.String>")]
    public void ADurableTableOfFilesWithKeysInTheOrderOfOneProcessIsRefused(Type key, string collection)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        ArgumentException refused = Assert.ThrowsAny<ArgumentException>(() => Of(key).Open(cache.Cache, DurableTests.Durable));
        Assert.Contains($"holds a {collection}", refused.Message, StringComparison.Ordinal);
        Assert.Contains(key.ToString(), refused.Message, StringComparison.Ordinal);
        Assert.Contains("ImmutableSortedSet", refused.Message, StringComparison.Ordinal);
        Assert.Empty(cache.Cache.TableNames);
    }

    [Theory]
    [InlineData(typeof(Tagged<ImmutableHashSet<int>>))]
    [InlineData(typeof(Tagged<ImmutableDictionary<Guid, string>>))]
    [InlineData(typeof(Tagged<ImmutableHashSet<Point>>))]
    [InlineData(typeof(Tagged<FrozenSet<DayOfWeek?>>))]
    [InlineData(typeof(Tagged<FrozenDictionary<DateTime, string>>))]
    [InlineData(typeof(Tagged<ImmutableSortedSet<string>>))]
    [InlineData(typeof(Tagged<ImmutableSortedDictionary<string, int>>))]
    [InlineData(typeof(Tagged<HashSet<string>>))]
    [InlineData(typeof(Tagged<Dictionary<string, List<string>>>))]
    [InlineData(typeof(Tagged<object>))]
    [InlineData(typeof(Tagged<IReadOnlySet<string>>))]
    [InlineData(typeof(Aside))]
    [InlineData(typeof(Grown<int>))]
    public void OneWithOtherKeysIsMade(Type key)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        Of(key).Open(cache.Cache, DurableTests.Durable);
        Assert.Single(cache.Cache.TableNames);
    }

    [Fact]
    public void WhatMayMissOrEndsWithTheProcessIsMade()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        Of(typeof(FrozenSet<string>)).Open(cache.Cache, options: null);
        using var inMemory = new TinyCache();
        Of(typeof(FrozenSet<string>)).Open(inMemory.Cache, DurableTests.Durable);
        Assert.Single(cache.Cache.TableNames);
        Assert.Single(inMemory.Cache.TableNames);
    }

    /// <summary>It writes as it likes.</summary>
    [Fact]
    public void KeysOfACodecOfTheProgramsOwnAreTaken()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, shared: ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files) with { Codecs = new PileCodecs().Add(1, new SortedTags()) }));
        PileTable<Tagged<ImmutableHashSet<string>>, int> table = cache.Table<Tagged<ImmutableHashSet<string>>, int>(DurableTests.Durable);
        Assert.True(table.Set(new Tagged<ImmutableHashSet<string>>(1, ["b", "a"]), 5).IsStored);
        Assert.True(table.ContainsKey(new Tagged<ImmutableHashSet<string>>(1, ["a", "b"])));
    }

    /// <summary>The collection stood where it was not seen, or an older version made the table.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ATableThatIsThereOpensToBeListed(bool says)
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Type hidden = Define(typeof(object));
            object key = Activator.CreateInstance(hidden)!;
            hidden.GetField("Tags")!.SetValue(key, ImmutableHashSet.Create("a", "b"));
            Of(hidden).Open(before.Cache, DurableTests.Durable);
            Assert.Equal([7], Of(hidden).Listed(before.Cache, key));
        }

        using var after = new MappedCache(files);
        Type seen = Define(typeof(ImmutableHashSet<string>));
        _ = Assert.ThrowsAny<ArgumentException>(() => Of(seen).Open(after.Cache, says ? DurableTests.Durable : null));
        Of(seen).Open(after.Cache, DurableTests.Durable with { TakesFormerKeys = true });
        Assert.Equal([7], Of(seen).Listed(after.Cache, key: null!));
    }

    private static IOpener Of(Type key) => (IOpener)Activator.CreateInstance(typeof(Opener<>).MakeGenericType(key))!;

    private static Type Define(Type tags)
    {
        var builder = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = builder.DefineDynamicModule("Shop").DefineType("Shop.Tagged", TypeAttributes.Public);
        _ = type.DefineField("Tags", tags, FieldAttributes.Public);
        return type.CreateType();
    }

    private sealed class Opener<TKey> : IOpener
        where TKey : notnull
    {
        public void Open(PileCache cache, PileTableOptions? options) => _ = cache.GetOrCreateTable<TKey, int>("table", options);

        public List<int> Listed(PileCache cache, object key)
        {
            PileTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("table");
            Assert.True(key is null || table.Set((TKey)key, 7).IsStored);
            return [.. table.Enumerate().Select(static item => item.Value)];
        }
    }

    private sealed class SortedTags : IPileCodec<Tagged<ImmutableHashSet<string>>>
    {
        public void Write(Tagged<ImmutableHashSet<string>> value, IBufferWriter<byte> writer) =>
            writer.Write(System.Text.Encoding.UTF8.GetBytes(string.Join(',', value.Tags.Order(StringComparer.Ordinal))));

        public Tagged<ImmutableHashSet<string>> Read(ReadOnlySpan<byte> payload) => new(1, [.. System.Text.Encoding.UTF8.GetString(payload).Split(',')]);
    }

    internal sealed record Tagged<T>(int Id, T Tags);

    internal sealed class Shared : ConcurrentDictionary<string, int>;

    internal record struct Point(int X, int Y);

    internal record struct Combined(int X, int Y)
    {
        public override readonly int GetHashCode() => HashCode.Combine(X, Y);
    }

    internal struct Spot
    {
        public int X { get; set; }
    }

    internal record struct Place(string Name, Point At);

    internal abstract record Abstract(ImmutableHashSet<string> Tags);

    internal sealed record Derived(int Id, ImmutableHashSet<string> Tags) : Abstract(Tags);

    internal sealed class Grown<T>
    {
        public Grown<List<T>>? Next { get; init; }
    }

    internal sealed class Aside
    {
        [NonSerialized]
        private readonly FrozenSet<string>? _found = FrozenSet<string>.Empty;

        public string? Name { get; init; }

        public bool Has(string name) => _found!.Contains(name);
    }
}
