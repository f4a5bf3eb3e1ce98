using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Types that the cases share.</summary>
internal static partial class CaseTypes
{
    [PileObject]
    internal sealed partial class Node
    {
        public int Value;
        public Node? Next;

        internal static Node List(int nodes, bool isRing = false)
        {
            var first = new Node();
            Node last = first;
            for (int index = 1; index < nodes; index++)
            {
                last = last.Next = new Node { Value = index };
            }

            last.Next = isRing ? first : null;
            return first;
        }
    }

    [PileObject]
    internal sealed partial class Pair
    {
        public object? First { get; set; }

        public object? Second { get; set; }
    }

    [PileObject]
    internal sealed partial class Typed
    {
        public Node? First;
        public Node? Second;
        public int[]? Array;
        public int[]? SameArray;
        public List<string>? List;
        public List<string>? SameList;
    }

    /// <summary>A struct that may hold its own box.</summary>
    [PileObject]
    internal partial struct Link
    {
        public object? Next;
        public int Value;
    }

    /// <summary>Compares by the content of a set, so that it has no hash code before the set is filled.</summary>
    [PileObject]
    internal sealed partial class SetKey(HashSet<int> set) : IEquatable<SetKey>
    {
        public HashSet<int> Set { get; } = set;

        public bool Equals(SetKey? other) => other is not null && Set.SetEquals(other.Set);

        public override bool Equals(object? obj) => obj is SetKey other && Equals(other);

        public override int GetHashCode() => Set.Aggregate(17, static (hash, item) => hash ^ HashCode.Combine(item));
    }

    /// <summary>Its hash code throws while a field is null.</summary>
    [PileObject]
    internal sealed partial class StrictKey(string name)
    {
        private readonly string _name = name;

        public object? Owner { get; set; }

        public override bool Equals(object? obj) => obj is StrictKey other && other._name == _name;

        public override int GetHashCode() => _name.Length + _name[0];
    }

    [PileObject]
    internal sealed partial class PlainKey
    {
        public int Number { get; set; }
    }

    [PileObject]
    internal sealed partial class ModuloComparer(int modulus) : IEqualityComparer<int>, IComparer<int>
    {
        private readonly int _modulus = modulus;

        public bool Equals(int x, int y) => x % _modulus == y % _modulus;

        public int GetHashCode(int obj) => obj % _modulus;

        public int Compare(int x, int y) => (y % _modulus).CompareTo(x % _modulus);
    }

    [PileObject]
    internal sealed partial record Person(string Name, string Mail, DateTime Born, Guid Id, decimal Balance, int Level, bool Active);

    internal enum Small : byte
    {
        None,
        One,
        Last = 255,
    }

    [Flags]
    internal enum Wide : ulong
    {
        None = 0,
        One = 1,
        Top = 1UL << 63,
    }

    [PileObject]
    internal readonly partial struct Fixed(int number, string text)
    {
        private readonly int _number = number;
        private readonly string _text = text;

        public override string ToString() => $"{_number} {_text}";
    }

    [PileObject]
    internal sealed partial class FixedHolder(Fixed value)
    {
        private readonly Fixed _value = value;

        public override string ToString() => _value.ToString();
    }

    internal struct Twin<TFirst, TSecond>
    {
        public TFirst First;
        public TSecond Second;
    }

    [PileObject]
    internal abstract partial class Shape
    {
        private readonly string? _name;

        protected Shape(string? name) => _name = name;

        public string? ShapeName => _name;
    }

    [PileObject]
    internal sealed partial class Circle(string? name, string? own) : Shape(name), IComparable<Circle>
    {
        private readonly string? _name = own;

        public string? OwnName => _name;

        public int CompareTo(Circle? other) => string.CompareOrdinal(_name, other?._name);
    }

    [PileObject]
    internal sealed partial class Slots
    {
        public Shape? Abstract;
        public IComparable<Circle>? Interface;
        public IComparable? StructBehindInterface;
        public object? Any;
        public IEnumerable<object>? Covariant;
    }

    internal sealed class Box<T>
    {
        public T? Value { get; set; }
    }

    [InlineArray(4)]
    internal struct FourInts
    {
        private int _first;
    }

    [InlineArray(3)]
    internal struct ThreeTexts
    {
        private string? _first;
    }

    [StructLayout(LayoutKind.Explicit)]
    internal struct Union
    {
        [FieldOffset(0)]
        public double Real;

        [FieldOffset(0)]
        public long Bits;

        [FieldOffset(8)]
        public short After;
    }

    [PileObject]
    internal sealed partial class Layouts
    {
        public FourInts Ints;
        public ThreeTexts Texts;
        public Union Union;
        public Wide Flags;
    }
}
