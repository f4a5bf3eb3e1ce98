using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Anonymous types, which the compiler numbers anew with each edit: what is stored of one, read by a program in which its name is another's.</summary>
public sealed class AnonymousTypesTests
{
    private const string CSharp = "<>f__AnonymousType0`2";
    private const string VisualBasic = "VB$AnonymousType_0`2";

    public static TheoryData<string, string[], string[]> Others => new()
    {
        { CSharp, ["<Id>i__Field", "<Name>i__Field"], ["<Total>i__Field", "<Label>i__Field"] },
        { CSharp, ["<Id>i__Field", "<Name>i__Field"], ["<Id>i__Field", "<Label>i__Field"] },
        { CSharp, ["<Id>i__Field", "<Name>i__Field"], ["<Name>i__Field", "<Id>i__Field"] },
        { VisualBasic, ["$Id", "$Name"], ["$Total", "$Label"] },
    };

    [Theory]
    [MemberData(nameof(Others))]
    public void OneOfOtherFieldsIsUnknownWithTheWayOut(string name, string[] before, string[] after)
    {
        (GraphStore store, byte[] bytes) = Stored(Made(Define(name, before)));
        Type today = Define(name, after);
        GraphStore later = Knowing(store, today);
        for (int round = 0; round < 2; round++)
        {
            PileUnknownTypeException unknown = Assert.Throws<PileUnknownTypeException>(() => later.Read<object>(bytes));
            Assert.Equal($"Shop!{name}<System.Int32|System.String>", unknown.TypeName);
            Assert.Contains($"of an anonymous type with Id, Name, {unknown.TypeName}; that is one with {Names(after)} by now", unknown.Message, StringComparison.Ordinal);
            Assert.Contains("Store objects of a class or record of your own", unknown.Message, StringComparison.Ordinal);
        }

        // Today's is stored beside it, and read.
        Same(after, later.Read<object>(later.Write(Made(today))));
    }

    [Fact]
    public void OneOfOtherFieldsWithinAListIsUnknown()
    {
        string[] before = ["<Id>i__Field", "<Name>i__Field"];
        object made = Made(Define(CSharp, before));
        var list = (IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(made.GetType()))!;
        _ = list.Add(made);
        (GraphStore store, byte[] bytes) = Stored(list);
        Same(before, Assert.IsAssignableFrom<IList>(Knowing(store, Define(CSharp, before)).Read<object>(bytes))[0]!);
        _ = Assert.Throws<PileUnknownTypeException>(() => Knowing(store, Define(CSharp, ["<Total>i__Field", "<Label>i__Field"])).Read<object>(bytes));
    }

    [Theory]
    [InlineData(CSharp, "<Id>i__Field", "<Name>i__Field")]
    [InlineData(VisualBasic, "$Id", "$Name")]
    public void OneOfTheSameFieldsIsRead(string name, string first, string second)
    {
        string[] fields = [first, second];
        (GraphStore store, byte[] bytes) = Stored(Made(Define(name, fields)));
        Same(fields, Knowing(store, Define(name, fields)).Read<object>(bytes));
    }

    /// <summary>Its fields may come and go.</summary>
    [Fact]
    public void AClassThatTheProgramNamedSoIsReadAsAnyOther()
    {
        (GraphStore store, byte[] bytes) = Stored(Made(Define(VisualBasic, ["$Id", "$Name"], isOfCompiler: false)));
        object read = Knowing(store, Define(VisualBasic, ["$Id", "$Label"], isOfCompiler: false)).Read<object>(bytes);
        Assert.Equal((5, null), (Value(read, "$Id"), Value(read, "$Label")));
    }

    private static (GraphStore Store, byte[] Bytes) Stored(object value)
    {
        var store = new GraphStore();
        return (store, store.Write(value));
    }

    private static GraphStore Knowing(GraphStore before, Type type)
    {
        var store = new GraphStore(before);
        store.Table.Known.Add(type);
        return store;
    }

    private static string Names(string[] fields) => string.Join(", ", fields.Select(static field => field.Replace(">i__Field", "", StringComparison.Ordinal).TrimStart('<', '$')));

    private static void Same(string[] fields, object read) => Assert.Equal([5, "five"], fields.Select(field => Value(read, field)));

    private static object? Value(object value, string field) => value.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(value);

    private static object Made(Type type)
    {
        object value = Activator.CreateInstance(type)!;
        FieldInfo[] fields = [.. type.GetFields(BindingFlags.Instance | BindingFlags.NonPublic).OrderBy(static field => field.MetadataToken)];
        fields[0].SetValue(value, 5);
        fields[1].SetValue(value, "five");
        return value;
    }

    /// <summary>As the compiler makes it: generic over its fields' types, here a number's and a text's.</summary>
    private static Type Define(string name, string[] fields, bool isOfCompiler = true)
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop").DefineType(name, TypeAttributes.Sealed);
        GenericTypeParameterBuilder[] parameters = type.DefineGenericParameters("T1", "T2");
        for (int index = 0; index < fields.Length; index++)
        {
            _ = type.DefineField(fields[index], parameters[index], FieldAttributes.Private | FieldAttributes.InitOnly);
        }

        if (isOfCompiler)
        {
            type.SetCustomAttribute(new CustomAttributeBuilder(typeof(CompilerGeneratedAttribute).GetConstructor([])!, []));
        }

        return type.CreateType().MakeGenericType(typeof(int), typeof(string));
    }
}
