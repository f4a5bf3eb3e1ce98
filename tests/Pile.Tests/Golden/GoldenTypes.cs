using System;
using System.Collections.Generic;
using System.Numerics;

namespace Pile.Tests.Golden;

/// <summary>Types whose objects lie in the golden piles. They never change: those piles are read for ever.</summary>
internal static class GoldenTypes
{
    internal enum Colour
    {
        Red = 1,
        Green = 7,
    }

    [Flags]
    internal enum Rights : ulong
    {
        None = 0,
        Read = 1,
        All = ulong.MaxValue,
    }

    internal readonly record struct Place(double Latitude, double Longitude);

    internal class Animal
    {
        public string? Name { get; set; }
    }

    internal sealed class Dog : Animal
    {
        public int Legs { get; set; }
    }

    internal sealed class Person
    {
        public string? Name { get; set; }

        public int Age { get; set; }

        public DateTime Born { get; set; }

        public List<string> Tags { get; set; } = [];

        public Person? Friend { get; set; }

        public Animal? Pet { get; set; }

        public Place Home { get; set; }

        public Colour Colour { get; set; }
    }

    internal sealed class Everything
    {
        public bool Bool { get; set; }

        public sbyte SByte { get; set; }

        public ushort UShort { get; set; }

        public long Long { get; set; }

        public ulong ULong { get; set; }

        public Int128 Wide { get; set; }

        public Half Half { get; set; }

        public float Float { get; set; }

        public decimal Decimal { get; set; }

        public char Char { get; set; }

        public string? Text { get; set; }

        public Guid Guid { get; set; }

        public DateTimeOffset Moment { get; set; }

        public DateOnly Day { get; set; }

        public TimeOnly Time { get; set; }

        public TimeSpan Span { get; set; }

        public Uri? Uri { get; set; }

        public Version? Version { get; set; }

        public BigInteger Big { get; set; }

        public Rights Rights { get; set; }

        public int? None { get; set; }

        public int? Some { get; set; }

        public byte[]? Bytes { get; set; }

        public int[]? Ints { get; set; }

        public string?[]? Texts { get; set; }

        public int[,]? Grid { get; set; }

        public Dictionary<string, int>? Map { get; set; }

        public HashSet<int>? Set { get; set; }

        public SortedDictionary<string, Place>? Sorted { get; set; }

        public (int First, string Second) Pair { get; set; }

        public KeyValuePair<string, int> Entry { get; set; }

        public object? Boxed { get; set; }
    }

    internal sealed class Link
    {
        public PilePointer To { get; set; }

        public PileRef<Person> Person { get; set; }
    }
}
