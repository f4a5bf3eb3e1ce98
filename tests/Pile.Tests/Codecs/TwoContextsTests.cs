using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>One name, two types: those of two load contexts in one pile.</summary>
public sealed class TwoContextsTests
{
    /// <summary>So long that the end of a chain, from about the 62nd on, is put off.</summary>
    private const int ChainNodes = 100;

    /// <summary>How many nodes of two chains are read before one that stands in the end of the first: behind both beginnings, and before the other end.</summary>
    private const int NodesBefore = 155;

    /// <summary>Is called before a node of this context is filled.</summary>
    [ThreadStatic]
    private static Action? _fills;

    [Fact]
    public void WhatIsBeingReadIsFilledByThePlanOfItsOwnTypeWhenTheOtherOneComes()
    {
        using var pile = new GraphPile("Reflection");
        PilePointer pointer = pile.Pile.Put(new object[] { Chain(4), Chain(5) });
        object other = FromAnotherContext(typeof(Node), 7);
        int nodes = 0;
        _fills = () => _ = ++nodes == NodesBefore ? pile.Pile.Put(other) : default;
        try
        {
            object[] got = pile.Pile.Get<object[]>(pointer);
            Assert.Equal([4, 5], got.Select(static first => Last((Node)first).Value));
            Assert.Equal(2 * ChainNodes, nodes);
        }
        finally
        {
            _fills = null;
        }
    }

    [Fact]
    public void AnObjectOfTheOtherContextIsAMismatchThatSaysSo()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.Put(new Node { Value = 5 });
        _ = pile.It.Put(FromAnotherContext(typeof(Node), 7));
        string message = Assert.Throws<PileTypeMismatchException>(() => pile.It.Get<Node>(pointer)).Message;
        Assert.Contains("of this load context: as long as this pile is open, what was stored with that layout is read as a type of that name in another one", message, StringComparison.Ordinal);
        Assert.Contains("A pile in files that is opened anew reads it", message, StringComparison.Ordinal);
    }

    /// <summary>It was told as damage: the schema has the name of both.</summary>
    [Fact]
    public void AReferenceToAnObjectOfTheOtherContextIsAMismatchThatSaysSo()
    {
        using var pile = new CheckedPile();
        var node = new Node { Value = 5 };
        PilePointer pointer = pile.It.Put(new Holder { Any = node, One = node });
        _ = pile.It.Put(FromAnotherContext(typeof(Node), 7));
        Assert.Contains("load context", Assert.Throws<PileTypeMismatchException>(() => pile.It.Get<Holder>(pointer)).Message, StringComparison.Ordinal);
    }

    /// <summary>It was told as damage: memory is made of the array behind it.</summary>
    [Fact]
    public void MemoryOfTheOtherContextsItemsIsAMismatchThatSaysSo()
    {
        using var pile = new CheckedPile();
        PilePointer memory = pile.It.Put(new Slices { Writable = new[] { new Item { Name = "a" } } });
        PilePointer readOnly = pile.It.Put(new Slices { ReadOnly = new[] { new Item { Name = "a" } } });
        _ = pile.It.Put((object)Array.CreateInstance(OfAnotherContext(typeof(Item)), 1));
        foreach (PilePointer pointer in new[] { memory, readOnly })
        {
            Assert.Contains("load context", Assert.Throws<PileTypeMismatchException>(() => pile.It.Get<Slices>(pointer)).Message, StringComparison.Ordinal);
        }
    }

    private static Type OfAnotherContext(Type type)
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        Type other = context.LoadFromAssemblyPath(type.Assembly.Location).GetType(type.FullName!)!;
        Assert.NotEqual(type, other);
        return other;
    }

    private static object FromAnotherContext(Type type, int number)
    {
        Type other = OfAnotherContext(type);
        object made = RuntimeHelpers.GetUninitializedObject(other);
        other.GetField(nameof(Node.Value))!.SetValue(made, number);
        return made;
    }

    private static Node Chain(int last)
    {
        var node = new Node { Value = last };
        for (int count = 1; count < ChainNodes; count++)
        {
            node = new Node { Next = node };
        }

        return node;
    }

    private static Node Last(Node node) => node.Next is { } next ? Last(next) : node;

    internal struct Item
    {
        public string? Name;
    }

    internal sealed class Slices
    {
        public Memory<Item> Writable;
        public ReadOnlyMemory<Item> ReadOnly;
    }

    internal sealed class Holder
    {
        public object? Any;
        public Node? One;
    }

    internal sealed class Node
    {
        public Node? Next;
        public int Value;

        [OnDeserializing]
        internal void Fills(StreamingContext context)
        {
            Value = -1;
            _fills?.Invoke();
        }
    }
}
