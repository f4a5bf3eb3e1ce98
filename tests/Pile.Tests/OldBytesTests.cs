using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests;

/// <summary>Nothing that reads or fills new objects shows bytes of deleted ones; an export holds what lives alone.</summary>
public sealed class OldBytesTests : IDisposable
{
    private static readonly byte[] _secret = [.. "-old-key-in-pile-"u8];
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatStandsBesideNewObjectsIsSeenByNoRead(bool inFiles)
    {
        using ObjectPile pile = Open(inFiles);
        StoreAndDeleteSecrets(pile);
        Dictionary<PilePointer, int> lengths = PutOfEveryLength(pile);
        AssertRecycled(pile, lengths.Keys);
        using (PileReader reader = pile.BeginRead())
        {
            foreach ((PilePointer pointer, int length) in lengths)
            {
                Assert.True(IsOurs(reader[pointer], length));
            }
        }

        var visitor = new Visitor();
        Assert.Equal(lengths.Count, pile.LeaseMany([.. lengths.Keys], ref visitor));
        Assert.Equal(lengths.Values, visitor.Lengths);
        byte[] destination = new byte[40_000];
        foreach ((PilePointer pointer, int length) in lengths)
        {
            using (PileLease lease = pile.Lease(pointer))
            {
                Assert.True(IsOurs(lease.Bytes, length));
            }

            using (PilePin pin = pile.Pin(pointer))
            {
                Assert.True(IsOurs(pin.Bytes, length) && IsOurs(pin.Memory.Span, length));
            }

            destination.AsSpan().Fill(0xAA);
            Assert.True(pile.TryCopyTo(pointer, destination, out int written));
            Assert.True(IsOurs(destination.AsSpan(0, written), length));
            Assert.False(destination.AsSpan(written).ContainsAnyExcept((byte)0xAA));
            var copied = new ArrayBufferWriter<byte>();
            pile.CopyTo(pointer, copied);
            Assert.True(IsOurs(copied.WrittenSpan, length));
            Assert.True(IsOurs(pile.Get<byte[]>(pointer), length));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ABufferToFillShowsNothingOfObjectsOfBefore(bool inFiles)
    {
        using ObjectPile pile = Open(inFiles);
        foreach (int bytes in (int[])[100, 1_000, 30_000])
        {
            // Once by each way in, so that the array comes back to whoever asks next.
            using (PileBufferWriter writer = pile.BeginPut())
            {
                Secrets(bytes).CopyTo(writer.GetSpan(bytes));
                writer.Advance(bytes);
                Assert.True(pile.Delete(writer.Commit()));
            }

            using (PileReservation reservation = pile.Reserve(bytes))
            {
                Assert.False(reservation.Span.ContainsAnyExcept((byte)0));
                Secrets(bytes).CopyTo(reservation.Span);
                Assert.True(pile.Delete(reservation.Commit()));
            }

            using (PileBufferWriter writer = pile.BeginPut())
            {
                Assert.False(writer.GetSpan(bytes).ContainsAnyExcept((byte)0));
                Assert.False(writer.GetMemory(bytes).Span.ContainsAnyExcept((byte)0));

                // Growth keeps what was written and shows zeros behind it, which is what is stored where nothing is written.
                writer.GetSpan(1)[0] = 7;
                writer.Advance(1);
                Assert.False(writer.GetSpan(4 * bytes).ContainsAnyExcept((byte)0));
                writer.Advance(4 * bytes);
                byte[] stored = pile.Get<byte[]>(writer.Commit());
                Assert.Equal(7, stored[0]);
                Assert.False(stored.AsSpan(1).ContainsAnyExcept((byte)0));
            }
        }
    }

    [Fact]
    public void AnExportHoldsWhatLivesAlone()
    {
        using ObjectPile pile = Open(inFiles: true);
        PilePointer[] secrets = StoreSecrets(pile);
        Assert.True(Holds(Export(pile)));
        Assert.All(secrets, pointer => Assert.True(pile.Delete(pointer)));
        Assert.False(Holds(Export(pile)));
    }

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 16 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) };

    private ObjectPile Open(bool inFiles) => inFiles
        ? ObjectPile.Open(Path.Combine(_directory.Path, "pile"), Options)
        : ObjectPile.Create(PileOptions.Tiny with { MemoryLimitBytes = 16 << 20, WritersMax = 1 });

    private static PilePointer[] StoreSecrets(ObjectPile pile) =>
        [.. Enumerable.Range(0, 600).Select(index => pile.PutBytes(Secrets(1_000 + index))), .. Enumerable.Range(0, 20).Select(_ => pile.PutBytes(Secrets(30_000)))];

    /// <summary>Leaves segments and runs of pages that are free, and full of secrets.</summary>
    private static void StoreAndDeleteSecrets(ObjectPile pile)
    {
        Assert.All(StoreSecrets(pile), pointer => Assert.True(pile.Delete(pointer)));
        for (int round = 0; round < 3; round++)
        {
            Commit(pile);
            _ = pile.Compact();
        }

        Commit(pile);
    }

    private static void Commit(ObjectPile pile)
    {
        if (pile.Promise() != PilePromise.Memory)
        {
            pile.Commit();
        }
    }

    /// <summary>Objects of every length modulo 8 and modulo a page, small and large.</summary>
    private static Dictionary<PilePointer, int> PutOfEveryLength(ObjectPile pile)
    {
        int[] lengths = [.. Enumerable.Range(0, 300), .. Enumerable.Range(0, 20).Select(static index => 16_300 + (index * 61)), .. Enumerable.Range(0, 10).Select(static index => 20_000 + (index * 1_111))];
        return lengths.ToDictionary(length => pile.PutBytes(Ours(length)));
    }

    /// <summary>That secrets stand right behind some new object: else the reads would prove nothing.</summary>
    private static void AssertRecycled(ObjectPile pile, IEnumerable<PilePointer> pointers) =>
        Assert.Contains(pointers, pointer =>
        {
            long location = Pile.Format.EntryWord.Location(pile.Core.Table.Read(pointer.Slot));
            Pile.Segments.Segment segment = pile.Core.Directory.At(location);
            return Holds(pile.Core.Directory.Space.Bytes(segment.Location, 0, segment.Bytes));
        });

    private static byte[] Ours(int length) => [.. Enumerable.Repeat((byte)0x11, length)];

    private static bool IsOurs(ReadOnlySpan<byte> bytes, int length) => bytes.Length == length && !bytes.ContainsAnyExcept((byte)0x11);

    private static byte[] Secrets(int bytes) => [.. Enumerable.Range(0, bytes).Select(static at => _secret[at % _secret.Length])];

    private static bool Holds(ReadOnlySpan<byte> bytes) => bytes.IndexOf(_secret) >= 0;

    private static byte[] Export(ObjectPile pile)
    {
        using var stream = new MemoryStream();
        _ = pile.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
        return stream.ToArray();
    }

    private struct Visitor() : IPileVisitor
    {
        internal List<int> Lengths { get; } = [];

        public readonly void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
            Assert.Equal(PileStatus.Ok, status);
            Assert.True(IsOurs(bytes, bytes.Length));
            Lengths.Add(bytes.Length);
        }
    }
}
