using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Globalization;
using System.Reflection;
using System.Runtime.Serialization;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What Put takes, Get gives: objects whose own code, or the framework's, stood in the way.</summary>
public sealed class KeptBackTests
{
    public static TheoryData<string> Nameless => ["pointer array", "array of pointer arrays", "open base", "array of an open base", "array of a definition"];

    [Theory]
    [ClassData<CasePlans>]
    public void WhatTheFrameworkWouldEndByItsOwnProtocolIsNotToldWhenItIsKeptByItsFields(string plan)
    {
        using var pile = new GraphPile(plan);
        object[] got = pile.Twice(new object[] { CultureInfo.InvariantCulture.TextInfo, CultureInfo.GetCultureInfo("tr-TR").TextInfo });
        Assert.Equal("I", ((TextInfo)got[0]).ToUpper("i"));
        Assert.Equal(CultureInfo.GetCultureInfo("tr-TR").TextInfo.ToUpper("i"), ((TextInfo)got[1]).ToUpper("i"));
        var name = new AssemblyName("x, Version=1.2.3.4, Culture=de");
        Assert.Equal(name.FullName, pile.Twice(name).FullName);
        var ordered = new Ordered { ["b"] = 1, ["a"] = "two" };
        Ordered back = pile.Twice(ordered);
        Assert.Equal((1, "two", "b"), (back["b"], back[1], Assert.IsType<string>(FirstKey(back))));
        OrderedByProtocol told = pile.Twice(new OrderedByProtocol { ["a"] = 1 });
        Assert.Equal(1, told["a"]);
        Assert.Equal(3, pile.Twice(new Heard { Number = 3 }).Told);
        Assert.Equal(1, pile.Twice(new HeardMap { ["a"] = 1 }).Told);
        Assert.Equal(1, pile.Twice(new HeardOrdered { ["a"] = 1 }).Told);
        Assert.Equal(1, pile.Twice(new OrderedDictionary { ["a"] = 1 })["a"]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void AClassDerivedFromHashtableIsFilledWhateverItsSetterDoes(string plan)
    {
        using var pile = new GraphPile(plan);
        var table = ReadOnlyTable.Of(new Hashtable(StringComparer.OrdinalIgnoreCase) { ["a"] = 1, ["b"] = "two" });
        ReadOnlyTable got = pile.Twice(table);
        Assert.Equal((1, "two", 2), (got["A"], got["b"], got.Count));
        Assert.Throws<NotSupportedException>(() => got["c"] = 1);
        Hashtable plain = pile.Twice(new Hashtable { ["a"] = 1 });
        plain["b"] = 2;
        Assert.Equal(2, plain.Count);
    }

    [Theory]
    [MemberData(nameof(Nameless))]
    public void ATypeThatHasNoNameOfItsOwnIsRefusedWithThePath(string which)
    {
        using var pile = new CasePile("Emitted");
        Type type = which switch
        {
            "pointer array" => typeof(int).MakePointerType().MakeArrayType(),
            "array of pointer arrays" => typeof(int).MakePointerType().MakeArrayType().MakeArrayType(2),
            "open base" => typeof(Below<>).BaseType!,
            "array of an open base" => typeof(Below<>).BaseType!.MakeArrayType(),
            _ => typeof(List<>).MakeArrayType(),
        };
        Assert.Equal("System.Object[][1]", pile.Refused(new object[] { 1, type }).GraphPath);
        Assert.Equal("Box.Value", pile.Refused(new CaseTypes.Box<Type> { Value = type }).GraphPath);
        Assert.Contains("name", pile.Refused(new object[] { type }).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TypesThatHaveANameComeBack()
    {
        using var pile = new GraphPile("Emitted");
        object[] types = [typeof(List<>), typeof(Below<>), typeof(Below<int>).BaseType!, typeof(List<int[]>[,]), typeof(Dictionary<,>.Enumerator), typeof(int?), typeof(Span<int>)];
        Assert.Equal(types, pile.Twice(types));
    }

    private static object FirstKey(OrderedDictionary ordered)
    {
        IDictionaryEnumerator each = ordered.GetEnumerator();
        Assert.True(each.MoveNext());
        return each.Key;
    }

    internal class Above<T>
    {
        public T? Value { get; set; }
    }

    internal sealed class Below<T> : Above<T>;

    internal sealed class Ordered : OrderedDictionary;

    internal sealed class OrderedByProtocol : OrderedDictionary
    {
        public OrderedByProtocol()
        {
        }

#pragma warning disable SYSLIB0050, SYSLIB0051 // The protocol is what is tested.
        private OrderedByProtocol(SerializationInfo info, StreamingContext context)
            : base(info, context)
        {
        }
#pragma warning restore SYSLIB0050, SYSLIB0051
    }

    internal sealed class Heard : IDeserializationCallback
    {
        public int Number { get; init; }

        [field: NonSerialized]
        public int Told { get; private set; }

        void IDeserializationCallback.OnDeserialization(object? sender) => Told = Number;
    }

    internal sealed class HeardMap : Dictionary<string, int>
    {
        [field: NonSerialized]
        public int Told { get; private set; }

        public override void OnDeserialization(object? sender) => Told = Count;
    }

    internal sealed class HeardOrdered : OrderedDictionary
    {
        [field: NonSerialized]
        public int Told { get; private set; }

        protected override void OnDeserialization(object? sender) => Told = Count;
    }

    internal sealed class ReadOnlyTable : Hashtable
    {
        private bool _isReadOnly;

        private ReadOnlyTable(IDictionary items, IEqualityComparer comparer)
            : base(items, comparer)
        {
        }

        public override object? this[object key]
        {
            get => base[key];
            set
            {
                if (_isReadOnly)
                {
                    throw new NotSupportedException("It is read-only.");
                }

                base[key] = value;
            }
        }

        public override void Add(object key, object? value) => this[key] = value;

        internal static ReadOnlyTable Of(Hashtable items) => new(items, StringComparer.OrdinalIgnoreCase) { _isReadOnly = true };
    }
}
