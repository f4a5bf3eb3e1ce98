using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Pile.Generators.Tests;

/// <summary>Types that the generator writes code for.</summary>
internal static partial class Marked
{
    [PileObject]
    internal partial class Base
    {
        private readonly int _secret;

        protected Base(int secret) => _secret = secret;

        internal int Secret => _secret;
    }

    [PileObject]
    internal sealed partial class Everything(int secret) : Base(secret)
    {
        private readonly int _secret = 7;

        [NonSerialized]
        internal int Forgotten;

        internal int OwnSecret => _secret;

        public bool Bool { get; set; }

        public sbyte SByte { get; set; }

        public byte Byte { get; init; }

        public short Int16 { get; set; }

        public ushort UInt16 { get; set; }

        public uint UInt32 { get; set; }

        public long Int64 { get; set; }

        public ulong UInt64 { get; set; }

        public char Char { get; set; }

        public float Single { get; set; }

        public double Double { get; set; }

        public decimal Decimal { get; set; }

        public Guid Guid { get; set; }

        public DateTime DateTime { get; set; }

        public DateTimeOffset DateTimeOffset { get; set; }

        public TimeSpan TimeSpan { get; set; }

        public DayOfWeek Day { get; set; }

        public int? Maybe { get; set; }

        public string? Text { get; set; }

        public int[]? Numbers { get; set; }

        public List<Point>? Points { get; set; }

        public Dictionary<string, object?>? Map { get; set; }

        public Everything? Next { get; set; }

        public object? Any { get; set; }

        public Base? Above { get; set; }

        public Point Point { get; set; }

        public Pair Pair { get; set; }

        public (int Left, string? Right) Tuple { get; set; }
    }

    [PileObject]
    internal readonly partial struct Point(int x, string? name)
    {
        public int X { get; } = x;

        public string? Name { get; } = name;
    }

    [PileObject]
    internal partial record struct Pair(double A, Guid B);

    [PileObject]
    internal sealed partial record Line(string Article, int Quantity, decimal Price);

    /// <summary>Single values between texts, and after the last one: all of them are written in one run.</summary>
    [PileObject]
    internal sealed partial record Mixed(string? First, int Second, string? Third, Guid Fourth, string? Fifth, decimal Sixth, DateTimeOffset Seventh, long Eighth, string? Ninth, char Tenth);

    /// <summary>A node of a list: its last field is of its own kind, so the generated code is a loop.</summary>
    [PileObject]
    internal sealed partial class Link(int value)
    {
        private readonly int _value = value;

        internal int Value => _value;

        public Link? Next { get; set; }
    }

    /// <summary>The same, but it is called: then there is no loop.</summary>
    [PileObject]
    internal sealed partial class CalledLink
    {
        [NonSerialized]
        internal int Calls;

        public CalledLink? Next { get; set; }

        [OnDeserialized]
        private void AfterReading(StreamingContext context) => Calls++;
    }

    [DataContract]
    internal sealed partial class Contract
    {
        [DataMember(Order = 0)]
        public int Number { get; set; }

        [DataMember(Order = 1)]
        public string? Text { get; set; }
    }
}
