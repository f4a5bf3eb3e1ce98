using System;
using System.Buffers.Binary;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Keys of a type that became another kind, keys of which only some have changed, and keys that come out as other bytes for reasons of their own.</summary>
public sealed class ChangedKeysTests
{
    private const int Keys = 40;

    public interface ITable
    {
        void Store(PileCache cache, Func<int, object> make, PileEntryOptions options = default);

        int Found(PileCache cache, Func<int, object> make, bool takesFormer);
    }

    /// <summary>The bytes of a small class are as long as its fields often enough: 8 for a number from 65,536 on beside the type's.</summary>
    [Theory]
    [InlineData(100_000, 1)]
    [InlineData(0, 100_000)]
    [InlineData(0, 1)]
    public void KeysOfAClassThatBecameAStructAreRefused(int first, int step)
    {
        Type before = Define("Shop.Key", asStruct: false, ("Id", typeof(long)));
        Type after = Define("Shop.Key", asStruct: true, ("Id", typeof(long)));
        RefusedOf(before, number => Make(before, (long)first + (step * number)), after, number => Make(after, (long)first + (step * number)), "The keys");
    }

    /// <summary>Where one has padding, a key of the other has something.</summary>
    [Fact]
    public void KeysOfAClassThatBecameAStructWithPaddingAreRefused()
    {
        (string, Type)[] fields = [("A", typeof(int)), ("B", typeof(short)), ("C", typeof(byte))];
        Type before = Define("Shop.Key", asStruct: false, fields);
        Type after = Define("Shop.Key", asStruct: true, fields);
        RefusedOf(before, number => Make(before, 1000 + number, (short)number, (byte)number), after, number => Make(after, 1000 + number, (short)number, (byte)number), "The keys");
    }

    [Fact]
    public void KeysOfAStructWithTextThatHasNoneNowAreRefused()
    {
        Type before = Define("Shop.Key", asStruct: true, ("Region", typeof(string)), ("Id", typeof(int)));
        Type after = Define("Shop.Key", asStruct: true, ("Region", typeof(int)), ("Id", typeof(int)));
        RefusedOf(before, number => Make(before, null, 100_000 + number), after, number => Make(after, 0, 100_000 + number), "The keys");
    }

    [Fact]
    public void KeysOfAStructThatBecameAClassAreRefused()
    {
        Type before = Define("Shop.Key", asStruct: true, ("Id", typeof(long)));
        Type after = Define("Shop.Key", asStruct: false, ("Id", typeof(long)));
        RefusedOf(before, number => Make(before, 100_000L + number), after, number => Make(after, 100_000L + number), "The keys");
    }

    [Fact]
    public void KeysOfWhichSomeHoldAPartOfAnotherVersionAreRefused()
    {
        (Type part, Type key) = DefineWithPart(hasMore: false);
        (Type partNow, Type keyNow) = DefineWithPart(hasMore: true);
        RefusedOf(
            key,
            number => Make(key, number, number % 2 == 0 ? null : Make(part, number)),
            keyNow,
            number => Make(keyNow, number, number % 2 == 0 ? null : Make(partNow, number, null)),
            "Some of the keys",
            found: Keys / 2);
    }

    /// <summary>Any number may be what a codec writes for an object with the number of a type: that not all of them are tells.</summary>
    [Fact]
    public void KeysOfAnotherVersionWhoseEntriesAreOverRefuseNothing()
    {
        Type before = Define("Shop.Key", asStruct: false, ("Id", typeof(long)));
        Type after = Define("Shop.Key", asStruct: false, ("Id", typeof(long)), ("More", typeof(int)));
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        using (var cache = new MappedCache(files, clock))
        {
            Of(before).Store(cache.Cache, number => Make(before, (long)number), new PileEntryOptions { TimeToLive = TimeSpan.FromHours(1) });
        }

        using (var cache = new MappedCache(files, clock))
        {
            Of(after).Store(cache.Cache, number => Make(after, (long)number, 1));
        }

        clock.Move(TimeSpan.FromHours(2));
        using var last = new MappedCache(files, clock);
        Assert.Equal(Keys, Of(after).Found(last.Cache, number => Make(after, (long)number, 1), takesFormer: false));
    }

    [Fact]
    public void NumbersThatReadAsObjectsOfTheirTypeAreFound()
    {
        using var files = new SimulatedFiles();
        long[] ids = [.. Enumerable.Range(1, Keys).Select(LikeAnObject)];
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<int, Sale>("sales", DurableTests.Durable).Set(1, new Sale("text", new Ticket(1))).IsStored);
            PileTable<Ticket, int> table = before.Table<Ticket, int>(DurableTests.Durable);
            Assert.All(ids, id => Assert.True(table.Set(new Ticket(id), 1).IsStored));
        }

        using var after = new MappedCache(files);
        PileTable<Ticket, int> found = after.Table<Ticket, int>(DurableTests.Durable);
        Assert.All(ids, id => Assert.True(found.ContainsKey(new Ticket(id))));
    }

    [Fact]
    public void KeysThatRememberWhatTheyWereAskedAreFoundAsTheyWereStored()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            PileTable<Named, int> table = before.Table<Named, int>(DurableTests.Durable);
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set(OfNumber(number), number).IsStored));
        }

        using var after = new MappedCache(files);
        PileTable<Named, int> found = after.Table<Named, int>(DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), number => Assert.True(found.ContainsKey(OfNumber(number))));

        static Named OfNumber(int number)
        {
            var named = new Named($"key {number}");
            Assert.True(number % 2 == 0 || named.Upper.Length > 0);
            return named;
        }
    }

    /// <summary>A key of which no two readings are alike tells nothing about its type.</summary>
    [Fact]
    public void KeysThatCountHowOftenTheyWereReadAreFound()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            PileTable<Counting, int> table = before.Table<Counting, int>(DurableTests.Durable);
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set(new Counting($"key {number}"), number).IsStored));
        }

        using var after = new MappedCache(files);
        PileTable<Counting, int> found = after.Table<Counting, int>(DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), number => Assert.True(found.ContainsKey(new Counting($"key {number}"))));
    }

    /// <summary>Until somebody uses it; its name is the beginning of another one's.</summary>
    [Fact]
    public void KeysOfADerivedClassThatIsNotUsedYetAreFound()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Table<MarkBase, int>(DurableTests.Durable).Set(new Mark("text"), 1).IsStored);
        }

        using var after = new MappedCache(files);
        Assert.True(after.Table<MarkBase, int>(DurableTests.Durable).ContainsKey(new Mark("text")));
    }

    /// <summary>A number whose bytes are lane, header of two, a type's number, and 4 bytes of an integer.</summary>
    private static long LikeAnObject(int type) => BinaryPrimitives.ReadInt64LittleEndian([6, 0x92, (byte)type, 0xCE, 1, 2, 3, (byte)type]);

    private static void RefusedOf(Type before, Func<int, object> make, Type after, Func<int, object> makeNow, string begins, int found = 0)
    {
        using var files = new SimulatedFiles();
        using (var cache = new MappedCache(files))
        {
            Of(before).Store(cache.Cache, make);
        }

        using (var cache = new MappedCache(files))
        {
            PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => Of(after).Found(cache.Cache, makeNow, takesFormer: false));
            Assert.StartsWith($"{begins} of the table 'table'", refused.Message, StringComparison.Ordinal);
            Assert.Contains(found > 0 ? "TakesFormerKeys" : "listed by the type as it was", refused.Message, StringComparison.Ordinal);
        }

        using var last = new MappedCache(files);
        if (found > 0)
        {
            Assert.Equal(found, Of(after).Found(last.Cache, makeNow, takesFormer: true));
            return;
        }

        // None can be read as it is today: there is nothing to list.
        _ = Assert.Throws<PileTypeMismatchException>(() => Of(after).Found(last.Cache, makeNow, takesFormer: true));
    }

    private static ITable Of(Type key) => (ITable)Activator.CreateInstance(typeof(Table<>).MakeGenericType(key))!;

    private static ModuleBuilder Module() => AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop");

    private static Type Define(string name, bool asStruct, params (string Name, Type Type)[] fields) => Define(Module(), name, asStruct, fields);

    private static Type Define(ModuleBuilder module, string name, bool asStruct, params (string Name, Type Type)[] fields)
    {
        TypeBuilder type = asStruct
            ? module.DefineType(name, TypeAttributes.Public | TypeAttributes.Sealed | TypeAttributes.SequentialLayout, typeof(ValueType))
            : module.DefineType(name, TypeAttributes.Public);
        foreach ((string field, Type of) in fields)
        {
            _ = type.DefineField(field, of, FieldAttributes.Public);
        }

        return type.CreateType();
    }

    private static (Type Part, Type Key) DefineWithPart(bool hasMore)
    {
        ModuleBuilder module = Module();
        Type part = hasMore ? Define(module, "Shop.Part", asStruct: false, ("X", typeof(int)), ("Note", typeof(string))) : Define(module, "Shop.Part", asStruct: false, ("X", typeof(int)));
        return (part, Define(module, "Shop.Key", asStruct: false, ("Id", typeof(int)), ("Part", part)));
    }

    private static object Make(Type type, params object?[] values)
    {
        object made = RuntimeHelpers.GetUninitializedObject(type);
        foreach ((FieldInfo field, object? value) in type.GetFields().OrderBy(static field => field.MetadataToken).Zip(values))
        {
            field.SetValue(made, value);
        }

        return made;
    }

    private sealed class Table<TKey> : ITable
        where TKey : notnull
    {
        public void Store(PileCache cache, Func<int, object> make, PileEntryOptions options = default)
        {
            PileTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("table", DurableTests.Durable with { TakesFormerKeys = true });
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set((TKey)make(number), number, options).IsStored));
        }

        public int Found(PileCache cache, Func<int, object> make, bool takesFormer)
        {
            PileTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("table", DurableTests.Durable with { TakesFormerKeys = takesFormer });
            return Enumerable.Range(0, Keys).Count(number => table.TryGet((TKey)make(number), out _));
        }
    }

    internal readonly record struct Ticket(long Id);

    internal sealed record Sale(string Text, Ticket Ticket);

    internal abstract record MarkBase(string Text);

    internal sealed record Mark(string Text) : MarkBase(Text);

    internal sealed class Named(string name)
    {
        private string? _upper;

        public string Upper => _upper ??= name.ToUpperInvariant();
    }

    internal sealed class Counting(string name)
    {
        private int _reads;

        public string Told => $"{name}, read {_reads} times";

        [OnDeserialized]
        private void Read(StreamingContext context) => _reads++;
    }
}
