using System;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Diagnostics;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Stored keys with a type that the program has not shown when their durable table is opened: what they are is told by names and schemas.</summary>
public sealed class UnshownKeysTests
{
    private const int Keys = 40;

    public interface ITable
    {
        void Store(PileCache cache, Func<int, object> make);

        int Found(PileCache cache, Func<int, object> make, bool takesFormer = false);
    }

    /// <summary>A key of another class beside them is found.</summary>
    [Fact]
    public void KeysOfADerivedClassThatGotAFieldAreRefused()
    {
        (Type[] before, Type[] after) = (Derived(hasMore: false), Derived(hasMore: true));
        using var files = new SimulatedFiles();
        Store(files, before[0], number => Make(before[1 + (number % 2)], number, $"key {number}"));

        using var cache = new MappedCache(files);
        PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => Of(after[0]).Found(cache.Cache, _ => new object()));
        Assert.StartsWith("Some of the keys of the table 'table' were stored by another version of Shop.Base, or of a type in it", refused.Message, StringComparison.Ordinal);
        Assert.Contains("TakesFormerKeys", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void KeysThatHoldAnObjectWhoseClassGotAFieldAreRefused()
    {
        (Type[] before, Type[] after) = (Boxed(hasMore: false), Boxed(hasMore: true));
        using var files = new SimulatedFiles();
        Store(files, before[0], number => Make(before[0], number, Make(before[1], number)));

        using var cache = new MappedCache(files);
        _ = Assert.Throws<PileTypeMismatchException>(() => Of(after[0]).Found(cache.Cache, _ => new object()));
    }

    [Fact]
    public async Task KeysOfADerivedClassThatIsAsItWasAreFoundWithoutAWord()
    {
        (Type[] before, Type[] after) = (Derived(hasMore: false), Derived(hasMore: false));
        using var files = new SimulatedFiles();
        Store(files, before[0], number => Make(before[1 + (number % 2)], number, $"key {number}"));

        using var cache = new MappedCache(files);
        using HeardEvents<string> listener = Hear(cache.Cache.Pile.Tag);
        Assert.Equal(Keys, Of(after[0]).Found(cache.Cache, number => Make(after[1 + (number % 2)], number, $"key {number}")));
        await EventsAside.Written;
        Assert.Empty(listener.Events);
    }

    /// <summary>It may be of another assembly, or be called otherwise.</summary>
    [Fact]
    public async Task KeysOfAClassThatNobodyKnowsAreTakenAndToldOf()
    {
        (Type[] before, Type[] after) = (Derived(hasMore: false), Derived(hasMore: false, name: "Shop.Users"));
        using var files = new SimulatedFiles();
        Store(files, before[0], number => Make(before[1 + (number % 2)], number, $"key {number}"));

        using var cache = new MappedCache(files);
        using HeardEvents<string> listener = Hear(cache.Cache.Pile.Tag);
        Assert.Equal(Keys / 2, Of(after[0]).Found(cache.Cache, number => Make(after[1 + (number % 2)], number, $"key {number}")));
        Assert.Equal(Keys / 2, Of(after[0]).Found(cache.Cache, number => Make(after[1 + (number % 2)], number, $"key {number}")));
        await EventsAside.Written;
        string told = Assert.Single(listener.Events);
        Assert.StartsWith($"table: Shop!Shop.User, {Keys / 2} of {Keys}", told, StringComparison.Ordinal);
        Assert.Contains("pile.Types.Add<Shop.User>()", told, StringComparison.Ordinal);
        Assert.Contains("[PileName(\"Shop!Shop.User\")]", told, StringComparison.Ordinal);
    }

    /// <summary>In a place of a sealed class or a struct nothing else could stand: it was renamed.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public void KeysWithAMemberWhoseTypeWasRenamedAreRefusedWithTheWayOut(bool asStruct, bool hasMark)
    {
        (Type[] before, Type[] after) = (WithPart("Shop.Part", asStruct), WithPart("Shop.Piece", asStruct, hasMark ? "Shop.Part" : null));
        using var files = new SimulatedFiles();
        Store(files, before[0], number => Make(before[0], number, Make(before[1], $"key {number}")));

        using (var cache = new MappedCache(files))
        {
            PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => Of(after[0]).Found(cache.Cache, _ => new object()));
            Assert.Contains("TakesFormerKeys", refused.Message, StringComparison.Ordinal);
            Assert.Equal(!hasMark, refused.Message.Contains("[PileName(\"Shop!Shop.Part\")]", StringComparison.Ordinal));
        }

        using var last = new MappedCache(files);
        Assert.Equal(0, Of(after[0]).Found(last.Cache, number => Make(after[0], number, Make(after[1], $"key {number}")), takesFormer: true));
    }

    /// <summary>102,662 is lane, header and number of a type's first version, as bytes.</summary>
    [Fact]
    public void ANumberThatReadsAsAnObjectOfAnotherTypeIsFoundAlone()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<int, Sale>("sales", DurableTests.Durable).Set(1, new Sale("text")).IsStored);
            Assert.True(before.Table<int, string>(DurableTests.Durable).Set(102_662, "there").IsStored);
        }

        using var after = new MappedCache(files);
        Assert.True(after.Table<int, string>(DurableTests.Durable).TryGet(102_662, out string? found));
        Assert.Equal("there", found);
    }

    private static void Store(SimulatedFiles files, Type key, Func<int, object> make)
    {
        using var cache = new MappedCache(files);
        Of(key).Store(cache.Cache, make);
    }

    private static ITable Of(Type key) => (ITable)Activator.CreateInstance(typeof(Table<>).MakeGenericType(key))!;

    private static ModuleBuilder Module() => AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop");

    /// <summary>A class and two that derive from it.</summary>
    private static Type[] Derived(bool hasMore, string name = "Shop.User")
    {
        ModuleBuilder module = Module();
        Type above = Define(module, "Shop.Base", typeof(object), ("Id", typeof(int)));
        Type user = hasMore ? Define(module, name, above, ("Text", typeof(string)), ("More", typeof(int))) : Define(module, name, above, ("Text", typeof(string)));
        return [above, user, Define(module, "Shop.Order", above, ("Text", typeof(string)))];
    }

    /// <summary>A class with a place for anything, and what stands there.</summary>
    private static Type[] Boxed(bool hasMore)
    {
        ModuleBuilder module = Module();
        Type held = hasMore ? Define(module, "Shop.Held", typeof(object), ("X", typeof(int)), ("More", typeof(string))) : Define(module, "Shop.Held", typeof(object), ("X", typeof(int)));
        return [Define(module, "Shop.Key", typeof(object), ("Id", typeof(int)), ("Held", typeof(object))), held];
    }

    /// <summary>A class with a part, and the part's type.</summary>
    private static Type[] WithPart(string name, bool asStruct, string? mark = null)
    {
        ModuleBuilder module = Module();
        TypeBuilder builder = module.DefineType(name, TypeAttributes.Public | TypeAttributes.Sealed, asStruct ? typeof(ValueType) : typeof(object));
        if (mark is not null)
        {
            builder.SetCustomAttribute(new CustomAttributeBuilder(typeof(PileNameAttribute).GetConstructor([typeof(string)])!, [mark]));
        }

        Type part = Define(builder, ("Text", typeof(string)));
        return [Define(module, "Shop.Key", typeof(object), ("Id", typeof(int)), ("Part", part)), part];
    }

    private static Type Define(ModuleBuilder module, string name, Type above, params (string Name, Type Type)[] fields) =>
        Define(module.DefineType(name, TypeAttributes.Public, above), fields);

    private static Type Define(TypeBuilder type, params (string Name, Type Type)[] fields)
    {
        foreach ((string field, Type of) in fields)
        {
            _ = type.DefineField(field, of, FieldAttributes.Public);
        }

        return type.CreateType();
    }

    /// <summary>An object with values in its fields, those of its base first.</summary>
    private static object Make(Type type, params object?[] values)
    {
        object made = RuntimeHelpers.GetUninitializedObject(type);
        FieldInfo[] fields = [.. type.GetFields().OrderBy(field => field.DeclaringType == type).ThenBy(static field => field.MetadataToken)];
        foreach ((FieldInfo field, object? value) in fields.Zip(values))
        {
            field.SetValue(made, value);
        }

        return made;
    }

    private sealed class Table<TKey> : ITable
        where TKey : notnull
    {
        public void Store(PileCache cache, Func<int, object> make)
        {
            PileTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("table", DurableTests.Durable);
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set((TKey)make(number), number).IsStored));
        }

        public int Found(PileCache cache, Func<int, object> make, bool takesFormer)
        {
            PileTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("table", DurableTests.Durable with { TakesFormerKeys = takesFormer });
            return Enumerable.Range(0, Keys).Count(number => table.TryGet((TKey)make(number), out _));
        }
    }

    private sealed record Sale(string Text);

    private static HeardEvents<string> Hear(long tag) => new(
        tag, nameof(PileEventSource.KeyTypesUnknown), static told => told is [string table, string type, int keys, int read, string wayOut] ? $"{table}: {type}, {keys} of {read}. {wayOut}" : "");
}
