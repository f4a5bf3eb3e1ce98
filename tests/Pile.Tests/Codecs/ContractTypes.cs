using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.Serialization;

namespace Pile.Tests.Codecs;

/// <summary>Contracts, sound and not.</summary>
internal static class ContractTypes
{
    [DataContract]
    internal sealed class Order
    {
        [DataMember(Order = 1)]
        public string? Name { get; set; }

        [DataMember(Order = 0)]
        public int Number { get; set; }

        [DataMember(Order = 3)]
        public List<Line>? Lines { get; init; }

        public int Ignored { get; set; }
    }

    [DataContract]
    internal class Line
    {
        [DataMember(Order = 0)]
        public string? Article { get; set; }

        [DataMember(Order = 1)]
        public decimal Price { get; set; }
    }

    [DataContract]
    internal sealed class Longer : Line;

    [DataContract]
    internal record struct Point
    {
        [DataMember(Order = 0)]
        public int X { get; set; }

        [DataMember(Order = 1)]
        public bool IsSet;
    }

    [DataContract]
    internal sealed class Nothing;

    [DataContract]
    internal sealed class Holder<T>
    {
        [DataMember(Order = 0)]
        public T Value { get; set; } = default!;
    }

    [DataContract]
    internal sealed class Odd(int number)
    {
        [DataMember(Order = 0)]
        public int Fixed { get; } = number;

        [DataMember(Order = 1)]
        public int Field;

        [DataMember(Order = 2)]
        public int Computed => Fixed * 2;
    }

    /// <summary>As F#'s records and Visual Basic's ReadOnly properties are.</summary>
    [DataContract]
    internal class Over<T>(int number, T text)
    {
        private readonly int _number = number;
        private readonly T _text = text;

        [DataMember(Order = 0)]
        public int Number => _number;

        [DataMember(Order = 1)]
        public T Text
        {
            get
            {
                return _text;
            }
        }
    }

    [DataContract]
    internal sealed class OverAgain(int number, string text) : Over<string>(number, text)
    {
        private readonly int _more = number + 1;

        [DataMember(Order = 2)]
        public int More => _more;
    }

    [DataContract]
    internal readonly struct Above(int number)
    {
        private readonly int _number = number;

        [DataMember(Order = 0)]
        public int Number => _number;
    }

    [DataContract]
    internal sealed class OnlyComputed
    {
        public int Kept { get; set; }

        [DataMember(Order = 0)]
        public int Doubled => Kept * 2;
    }

    [DataContract]
    internal sealed class Nested
    {
        [DataMember(Order = 0)]
        public string Inner
        {
            get
            {
                var writer = new ArrayBufferWriter<byte>();
                new PileContractCodec<Holder<string>>().Write(new Holder<string> { Value = string.Create(CultureInfo.InvariantCulture, $"{After}") }, writer);
                return Convert.ToHexStringLower(writer.WrittenSpan);
            }
        }

        [DataMember(Order = 1)]
        public int After { get; set; }
    }

    [DataContract]
    internal sealed class Chain
    {
        [DataMember(Order = 0)]
        public Chain? Next { get; set; }
    }

    [DataContract]
    internal sealed class Everything
    {
        [DataMember(Order = 0)]
        public Order? Order { get; set; }

        [DataMember(Order = 1)]
        public DateTime When { get; set; }

        [DataMember(Order = 2)]
        public Dictionary<string, Guid?>? Map { get; set; }

        [DataMember(Order = 3)]
        public Point[]? Points { get; set; }

        [DataMember(Order = 4)]
        public byte[]? Bytes { get; set; }

        [DataMember(Order = 5)]
        public double Amount { get; set; }

        [DataMember(Order = 6)]
        public DateTimeOffset At { get; set; }

        [DataMember(Order = 8)]
        public List<decimal?>? Prices { get; set; }

        internal static Everything Make() => new()
        {
            Order = new Order { Number = 70_000, Name = "name", Lines = [new Line { Article = "\u20ac", Price = 12.34m }, new Line()] },
            When = new DateTime(1969, 7, 20, 20, 17, 40, 250, DateTimeKind.Utc),
            Map = new Dictionary<string, Guid?> { ["a"] = new Guid("d8e308b2-4acf-47c0-9801-4758f8413ffd"), ["b"] = null },
            Points = [new Point { X = -1, IsSet = true }],
            Bytes = [1, 2, 3],
            Amount = 1e100,
            At = new DateTimeOffset(2026, 11, 21, 12, 0, 0, TimeSpan.FromMinutes(-570)),
            Prices = [1.50m, null, -79228162514264337593543950335m],
        };
    }

    [DataContract]
    internal sealed class WithoutOrder
    {
        [DataMember]
        public string? Name { get; set; }
    }

    [DataContract]
    internal sealed class SameOrder
    {
        [DataMember(Order = 1)]
        public int One { get; set; }

        [DataMember(Order = 1)]
        public int Two { get; set; }
    }

    [DataContract]
    internal sealed class FarOrder
    {
        [DataMember(Order = 1024)]
        public int One { get; set; }
    }

    [DataContract]
    internal sealed class Hidden
    {
        [DataMember(Order = 0)]
        internal string? Name { get; set; }
    }

    internal class HasHidden
    {
        [DataMember(Order = 0)]
        private readonly string _name = "kept";

        public int Length => _name.Length;
    }

    [DataContract]
    internal sealed class HeirOfHidden : HasHidden;

    internal class Keeper
    {
        private int _half;

        [DataMember(Order = 0)]
        public int Doubled
        {
            get => _half;
            private set => _half = value;
        }

        [DataMember(Order = 1)]
        public int Auto { get; private set; }

        public void Fill() => (Doubled, Auto) = (5, 6);
    }

    [DataContract]
    internal sealed class Heir : Keeper;

    [DataContract]
    internal abstract class Open;
}
