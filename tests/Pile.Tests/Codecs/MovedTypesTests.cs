using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Values of types whose assembly has another name today: they are read once the type, or the assembly, says what it was.</summary>
public sealed class MovedTypesTests
{
    public static TheoryData<string, string?, string?> Marks => new()
    {
        { "Moved.Card", "MovedFrom!Moved.Card", null },
        { "Moved.Card", null, "MovedFrom" },
        { "Moved.Sheet", "MovedFrom!Moved.Card", null },
        { "Moved.Sheet", "Moved.Card", "MovedFrom" },
    };

    [Theory]
    [MemberData(nameof(Marks))]
    public void ATypeIsFoundByWhatItWas(string name, string? markOfType, string? markOfAssembly)
    {
        (GraphStore before, byte[] bytes) = Stored();
        Type today = Define("MovedTo", name, markOfType, markOfAssembly);
        var after = new GraphStore(before);
        after.Table.Known.Add(today);

        object read = after.Read<object>(bytes)!;

        Assert.Equal(today, read.GetType());
        Assert.Equal("kept", today.GetField("Text")!.GetValue(read));
        Assert.Same(read, today.GetField("Next")!.GetValue(read));
        object cards = today.GetField("Cards")!.GetValue(read)!;
        Assert.Equal(typeof(List<>).MakeGenericType(today), cards.GetType());
        Assert.Same(read, ((System.Collections.IList)cards)[0]);
    }

    [Fact]
    public void WhoHasItInAnotherAssemblyIsToldHowToMarkIt()
    {
        (GraphStore before, byte[] bytes) = Stored();
        var after = new GraphStore(before);
        after.Table.Known.Add(Define("MovedTo", "Moved.Card", null, null));

        string message = Assert.Throws<PileUnknownTypeException>(() => after.Read<object>(bytes)).Message;

        Assert.Contains("the MovedTo!Moved.Card of today", message, StringComparison.Ordinal);
        Assert.Contains("[PileName(\"MovedFrom!Moved.Card\")]", message, StringComparison.Ordinal);
        Assert.Contains("[assembly: PileName(\"MovedFrom\")]", message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhoHasItUnderAnotherNameIsToldHowToMarkIt()
    {
        (GraphStore before, byte[] bytes) = Stored();
        var after = new GraphStore(before);
        after.Table.Known.Add(Define("MovedTo", "Moved.Sheet", null, null));

        string message = Assert.Throws<PileUnknownTypeException>(() => after.Read<object>(bytes)).Message;

        Assert.Contains("pile.Types.Add<Moved.Card>()", message, StringComparison.Ordinal);
        Assert.Contains("mark it with [PileName(\"MovedFrom!Moved.Card\")]", message, StringComparison.Ordinal);
    }

    /// <summary>A type that has the name today is meant, whoever had it before.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ATypeOfThatNameComesBeforeOneThatHadIt(bool isFirst)
    {
        (GraphStore before, byte[] bytes) = Stored();
        Type same = Define("MovedFrom", "Moved.Card", null, null);
        Type moved = Define("MovedTo", "Moved.Card", null, "MovedFrom");
        var after = new GraphStore(before);
        foreach (Type type in isFirst ? new[] { same, moved } : [moved, same])
        {
            after.Table.Known.Add(type);
        }

        Assert.Equal(same, after.Read<object>(bytes)!.GetType());
    }

    private static (GraphStore Store, byte[] Bytes) Stored()
    {
        Type then = Define("MovedFrom", "Moved.Card", null, null);
        object card = Activator.CreateInstance(then)!;
        then.GetField("Text")!.SetValue(card, "kept");
        then.GetField("Next")!.SetValue(card, card);
        var cards = (System.Collections.IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(then))!;
        _ = cards.Add(card);
        then.GetField("Cards")!.SetValue(card, cards);
        var store = new GraphStore();
        return (store, store.Write(card));
    }

    private static Type Define(string assembly, string name, string? markOfType, string? markOfAssembly)
    {
        ConstructorInfo mark = typeof(PileNameAttribute).GetConstructor([typeof(string)])!;
        var builder = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = builder.DefineDynamicModule(assembly).DefineType(name, TypeAttributes.Public);
        _ = type.DefineField("Text", typeof(string), FieldAttributes.Public);
        _ = type.DefineField("Next", type, FieldAttributes.Public);
        _ = type.DefineField("Cards", typeof(List<>).MakeGenericType(type), FieldAttributes.Public);
        if (markOfType is not null)
        {
            type.SetCustomAttribute(new CustomAttributeBuilder(mark, [markOfType]));
        }

        if (markOfAssembly is not null)
        {
            builder.SetCustomAttribute(new CustomAttributeBuilder(mark, [markOfAssembly]));
        }

        return type.CreateType();
    }
}
