using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Classes that F# and its library name after lines. The library is not here: classes of the same names are made. What earlier builds stored of one is
/// what is stored of a class whose name is as long and has no such sign.</summary>
public sealed class FSharpClassesTests
{
    private const TypeAttributes Nested = TypeAttributes.NestedPublic | TypeAttributes.Class;
    private static readonly ModuleBuilder _library = ModuleOf("FSharp.Core");
    private static readonly Type _mark = ClassOf(_library, "Microsoft.FSharp.Core.CompilationMappingAttribute", typeof(Attribute));
    private static readonly Type _dictionary = DictionaryOf(_library);
    private static readonly Type _reference = NestedIn(_library, "Microsoft.FSharp.Collections.HashIdentity", "Reference@20");

    [Theory]
    [InlineData("byPrice@6", typeof(object), "Give it a class of its own")]
    [InlineData("main@62-2", typeof(Comparer<string>), "records and unions equal and compare by their values without one")]
    [InlineData("clo@7T", typeof(List<int>), "Store what it gives (ToArray, ToList)")]
    public void AnObjectExpressionIsRefusedWithThePath(string name, Type parent, string wayOut)
    {
        object value = Activator.CreateInstance(parent == typeof(Comparer<string>) ? ComparerIn(ModuleOf("Shop"), name) : ClassOf(ModuleOf("Shop"), name, parent))!;
        object root = value is IComparer<string> comparer ? new SortedSet<string>(comparer) : new Holder { Held = value };
        using ObjectPile pile = ObjectPile.Create();
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Put(root));
        Assert.Equal(root is Holder ? "Holder.Held" : "SortedSet.Comparer", refused.GraphPath);
        Assert.Contains(wayOut, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AStructThatIsNamedAfterALineIsRefused()
    {
        using ObjectPile pile = ObjectPile.Create();
        object value = Activator.CreateInstance(ClassOf(ModuleOf("Shop"), "Delay@44", typeof(ValueType)))!;
        Assert.Equal("Holder.Held", Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = value })).GraphPath);
    }

    [Fact]
    public void AClassOfTheLibrarysThatIsNamedAfterALineIsRefused()
    {
        using ObjectPile pile = ObjectPile.Create();
        object value = Activator.CreateInstance(ClassOf(_library, "mkSeq@177", typeof(object)))!;
        Assert.Contains("Seq.toArray", Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = value })).Message, StringComparison.Ordinal);
    }

    /// <summary>The sign alone is in names that say no line.</summary>
    [Theory]
    [InlineData("Cash@DebugTypeProxy")]
    [InlineData("Cash@")]
    [InlineData("Line6")]
    public void AClassOfAnotherNameIsStored(string name)
    {
        using ObjectPile pile = ObjectPile.Create();
        object value = Activator.CreateInstance(ClassOf(ModuleOf("Shop"), name, typeof(object)))!;
        Assert.IsType(value.GetType(), pile.Get<Holder>(pile.Put(new Holder { Held = value })).Held);
    }

    [Fact]
    public void WhatEarlierBuildsStoredOfAnObjectExpressionIsRead()
    {
        object written = Activator.CreateInstance(ClassOf(ModuleOf("Shop"), "byPrice#6", typeof(Base)))!;
        ((Base)written).Text = "kept";
        Type today = ClassOf(ModuleOf("Shop"), "byPrice@6", typeof(Base));
        (GraphStore store, byte[] bytes) = StoredAs(new Holder { Held = written }, "byPrice#6", "byPrice@6");
        store.Table.Known.Add(today);

        object? read = store.Read<Holder>(bytes).Held;
        Assert.IsType(today, read);
        Assert.Equal("kept", ((Base)read).Text);
        _ = Assert.Throws<PileRefusedException>(() => store.Write(new Holder { Held = read }));
    }

    [Fact]
    public void ADictComesBackAsAReadOnlyDictionaryOfTheFramework()
    {
        var key = new Base();
        IDictionary<string, object> value = Make<string, object>(("b", 1), ("a", key));
        using ObjectPile pile = ObjectPile.Create();
        Two read = pile.Get<Two>(pile.Put(new Two { Map = value, Again = (IReadOnlyDictionary<string, object>)value, Key = key }));

        _ = Assert.IsType<ReadOnlyDictionary<string, object>>(read.Map);
        Assert.Same(read.Map, read.Again);
        Assert.Equal(["b", "a"], read.Map!.Keys);
        Assert.Same(read.Key, read.Map["a"]);
        Assert.Equal(1, pile.Get<IReadOnlyDictionary<string, object>>(pile.Put(read.Map))["b"]);
    }

    [Fact]
    public void ADictThatHoldsItselfComesBackSo()
    {
        var inside = new Holder();
        IDictionary<int, Holder> value = Make<int, Holder>((1, inside));
        inside.Held = value;
        using ObjectPile pile = ObjectPile.Create();
        IDictionary<int, Holder> read = pile.Get<IDictionary<int, Holder>>(pile.Put(value));
        Assert.Same(read, read[1].Held);
    }

    [Fact]
    public void DictsWithinEachOtherComeBackFromAnyDepth()
    {
        const int Levels = 2000;
        Holder outermost = new();
        for (int level = 0; level < Levels; level++)
        {
            outermost = new Holder { Held = Make<int, Holder>((level, outermost)) };
        }

        using ObjectPile pile = ObjectPile.Create();
        Holder read = pile.Get<Holder>(pile.Put(outermost));
        for (int level = Levels - 1; level >= 0; level--)
        {
            read = ((IReadOnlyDictionary<int, Holder>)read.Held!)[level];
        }

        Assert.Null(read.Held);
    }

    /// <summary>The type arguments are those of the keys: F# compares arrays, and what tuples and places of object may hold of them, by their items.</summary>
    [Theory]
    [InlineData(typeof(string), true)]
    [InlineData(typeof(DayOfWeek), true)]
    [InlineData(typeof(double?), true)]
    [InlineData(typeof(Tuple<int, string>), true)]
    [InlineData(typeof((int, Tuple<string>)), true)]
    [InlineData(typeof(int[]), false)]
    [InlineData(typeof(Array), false)]
    [InlineData(typeof(Tuple<int, int[]>), false)]
    [InlineData(typeof((int, int[])?), false)]
    [InlineData(typeof(object), false)]
    [InlineData(typeof(IComparable), false)]
    public void ADictIsStoredWhereItsKeysEqualByThemselves(Type key, bool isStored)
    {
        object value = Activator.CreateInstance(_dictionary.MakeGenericType(key, key, typeof(int)))!;
        using ObjectPile pile = ObjectPile.Create();
        if (isStored)
        {
            Assert.IsType(typeof(ReadOnlyDictionary<,>).MakeGenericType(key, typeof(int)), pile.Get<Holder>(pile.Put(new Holder { Held = value })).Held);
        }
        else
        {
            Assert.Contains("Keep a Map", Assert.Throws<PileRefusedException>(() => pile.Put(new Holder { Held = value })).Message, StringComparison.Ordinal);
        }
    }

    /// <summary>Records and unions have both equalities, and the same by both; they bear the mark.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ADictByAStructuralTypeIsStoredWhereFSharpMadeThat(bool isOfFSharp)
    {
        TypeBuilder building = ModuleOf("Shop").DefineType("Shop.Key", TypeAttributes.Public | TypeAttributes.Abstract, typeof(object), [typeof(System.Collections.IStructuralEquatable)]);
        if (isOfFSharp)
        {
            building.SetCustomAttribute(new CustomAttributeBuilder(_mark.GetConstructor([])!, []));
        }

        ImplementAbstractly(building);
        object value = Activator.CreateInstance(_dictionary.MakeGenericType(typeof(int), building.CreateType(), typeof(int)))!;
        using ObjectPile pile = ObjectPile.Create();
        Assert.Equal(isOfFSharp, Record.Exception(() => pile.Put(new Holder { Held = value })) is null);
    }

    [Fact]
    public void WhatEarlierBuildsStoredOfADictIsReadAsItWas()
    {
        object written = Activator.CreateInstance(DictionaryOf(ModuleOf("FSharp.Kore")).MakeGenericType(typeof(int), typeof(int), typeof(string)))!;
        ((IDictionary<int, string>)written).Add(7, "kept");
        (GraphStore store, byte[] bytes) = StoredAs(new Holder { Held = written }, "FSharp.Kore!", "FSharp.Core!");
        store.Table.Known.Add(_dictionary);

        object? read = store.Read<Holder>(bytes).Held;
        Assert.IsType(_dictionary.MakeGenericType(typeof(int), typeof(int), typeof(string)), read);
        Assert.Equal("kept", ((IDictionary<int, string>)read)[7]);
        Assert.Equal("kept", Assert.IsType<ReadOnlyDictionary<int, string>>(store.Read<Holder>(store.Write(new Holder { Held = read })).Held)[7]);
    }

    [Fact]
    public void TheComparerOfReferencesIsTheFrameworks()
    {
        object value = Activator.CreateInstance(_reference.MakeGenericType(typeof(string)))!;
        using ObjectPile pile = ObjectPile.Create();
        Assert.Same(ReferenceEqualityComparer.Instance, pile.Get<Holder>(pile.Put(new Holder { Held = value })).Held);

        object written = Activator.CreateInstance(NestedIn(ModuleOf("FSharp.Kore"), "Microsoft.FSharp.Collections.HashIdentity", "Reference#20").MakeGenericType(typeof(string)))!;
        (GraphStore store, byte[] bytes) = StoredAs(new Holder { Held = written }, "FSharp.Kore!Microsoft.FSharp.Collections.HashIdentity+Reference#", "FSharp.Core!Microsoft.FSharp.Collections.HashIdentity+Reference@");
        store.Table.Known.Add(_reference);
        Assert.IsType(value.GetType(), store.Read<Holder>(bytes).Held);
    }

    private static IDictionary<TKey, TValue> Make<TKey, TValue>(params (TKey Key, TValue Value)[] entries)
    {
        var made = (IDictionary<TKey, TValue>)Activator.CreateInstance(_dictionary.MakeGenericType(typeof(int), typeof(TKey), typeof(TValue)))!;
        foreach ((TKey key, TValue value) in entries)
        {
            made.Add(key, value);
        }

        return made;
    }

    /// <summary>The bytes, and the store of a program that is started anew, in which names are others of the same length.</summary>
    private static (GraphStore Store, byte[] Bytes) StoredAs(object value, string name, string other)
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(value);
        var forged = new GraphStore();
        forged.Schemas.AddRange(store.Schemas.Select(schema => Encoding.Latin1.GetBytes(Encoding.Latin1.GetString(schema).Replace(name, other, StringComparison.Ordinal))));
        return (new GraphStore(forged), bytes);
    }

    private static ModuleBuilder ModuleOf(string assembly) =>
        AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.Run).DefineDynamicModule(assembly);

    private static Type ClassOf(ModuleBuilder module, string name, Type parent) => module.DefineType(name, TypeAttributes.Public, parent).CreateType();

    /// <summary>A class that is a comparer: the base has an abstract method.</summary>
    private static Type ComparerIn(ModuleBuilder module, string name)
    {
        TypeBuilder building = module.DefineType(name, TypeAttributes.Public, typeof(Comparer<string>));
        ILGenerator code = building.DefineMethod(nameof(Comparer<>.Compare), MethodAttributes.Public | MethodAttributes.Virtual, typeof(int), [typeof(string), typeof(string)]).GetILGenerator();
        code.Emit(OpCodes.Ldc_I4_0);
        code.Emit(OpCodes.Ret);
        return building.CreateType();
    }

    private static Type NestedIn(ModuleBuilder module, string around, string name)
    {
        TypeBuilder outer = module.DefineType(around, TypeAttributes.Public);
        TypeBuilder inner = outer.DefineNestedType(name, Nested);
        _ = inner.DefineGenericParameters("T");
        _ = outer.CreateType();
        return inner.CreateType();
    }

    /// <summary>The class of dict and readOnlyDict: here a dictionary itself, by its second argument and third.</summary>
    private static Type DictionaryOf(ModuleBuilder library)
    {
        TypeBuilder outer = library.DefineType("Microsoft.FSharp.Core.ExtraTopLevelOperators", TypeAttributes.Public);
        TypeBuilder inner = outer.DefineNestedType("DictImpl`3", Nested);
        Type[] parameters = inner.DefineGenericParameters("SafeKey", "Key", "T");
        Type parent = typeof(Dictionary<,>).MakeGenericType(parameters[1], parameters[2]);
        inner.SetParent(parent);
        ILGenerator code = inner.DefineConstructor(MethodAttributes.Public, CallingConventions.Standard, []).GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Call, TypeBuilder.GetConstructor(parent, typeof(Dictionary<,>).GetConstructor([])!));
        code.Emit(OpCodes.Ret);
        _ = outer.CreateType();
        return inner.CreateType();
    }

    private static void ImplementAbstractly(TypeBuilder building)
    {
        foreach (MethodInfo method in typeof(System.Collections.IStructuralEquatable).GetMethods())
        {
            _ = building.DefineMethod(method.Name, MethodAttributes.Public | MethodAttributes.Virtual | MethodAttributes.Abstract, method.ReturnType, Array.ConvertAll(method.GetParameters(), static each => each.ParameterType));
        }
    }

    public class Base
    {
        public string? Text { get; set; }
    }

    internal sealed class Holder
    {
        public object? Held { get; set; }
    }

    internal sealed class Two
    {
        public IDictionary<string, object>? Map { get; set; }

        public IReadOnlyDictionary<string, object>? Again { get; set; }

        public object? Key { get; set; }
    }
}
