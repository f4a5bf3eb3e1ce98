using System;
using System.Collections.Generic;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What the program's own code for a key throws while a collection is filled, whatever its type.</summary>
public sealed class KeyExceptionTests
{
    /// <summary>Exceptions that reading by itself may meet in what is damaged: here they are the key's own.</summary>
    [Theory]
    [InlineData("Reflection")]
    [InlineData("Emitted")]
    public void WhatAKeyThrowsIsNotDamage(string mode)
    {
        using var pile = new GraphPile(mode);
        foreach (Exception own in (Exception[])[new InvalidOperationException("own"), new ArgumentNullException(nameof(mode)), new ArgumentException("own", nameof(mode)), new InvalidCastException("own")])
        {
            PilePointer[] pointers = [pile.Pile.Put(new HashSet<Throwing> { new() }), pile.Pile.Put(new Dictionary<Throwing, int> { [new()] = 1 }),
                pile.Pile.Put(new SortedSet<Throwing> { new(), new() }), pile.Pile.Put(new HashSet<int>(new ThrowingComparer()) { 1 }), pile.Pile.Put(new SortedList<Throwing, int> { [new()] = 1, [new()] = 2 })];
            Throwing.Own = own;
            foreach (PilePointer pointer in pointers)
            {
                PileTypeMismatchException failed = Assert.Throws<PileTypeMismatchException>(() => pile.Pile.Get<object>(pointer));
                Assert.Same(own, failed.InnerException);
            }

            Throwing.Own = null;
            Assert.All(pointers, pointer => Assert.NotNull(pile.Pile.Get<object>(pointer)));
        }
    }

    internal sealed class Throwing : IComparable<Throwing>
    {
        internal static Exception? Own { get; set; }

        private static int _last;

        private readonly int _number = ++_last;

        internal static int Throw(int number) => Own is null ? number : throw Own;

        public override int GetHashCode() => Throw(_number);

        public override bool Equals(object? obj) => obj is Throwing other && other._number == _number;

        public int CompareTo(Throwing? other) => Throw(_number.CompareTo(other!._number));
    }

    internal sealed class ThrowingComparer : IEqualityComparer<int>
    {
        public bool Equals(int x, int y) => x == y;

        public int GetHashCode(int obj) => Throwing.Throw(obj);
    }
}
