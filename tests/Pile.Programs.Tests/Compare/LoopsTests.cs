using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Workloads;
using Xunit;

namespace Pile.Programs.Tests.Compare;

public sealed class LoopsTests
{
    private const int Objects = 100;

    [Fact]
    public void StoresWithEqualBytesHaveEqualDigests()
    {
        Assert.Equal(DigestOf(Filled(version: 1)), DigestOf(Filled(version: 1)));
        Assert.NotEqual(DigestOf(Filled(version: 1)), DigestOf(Filled(version: 2)));
    }

    [Fact]
    public void OneWrongByteChangesTheDigest()
    {
        List<byte[]> store = Filled(version: 1);
        ulong before = DigestOf(store);

        store[Objects - 1][Loops.PayloadBytes - 1] ^= 1;

        Assert.NotEqual(before, DigestOf(store));
    }

    [Fact]
    public void AReplacedObjectDiffersInItsVersionAlone()
    {
        List<byte[]> store = Filled(version: 1);
        Loops.Set(new ListOperations(store), Loops.Payload(), 2, [7], [7]);

        Assert.Equal(Filled(version: 2)[7], store[7]);
        Assert.Equal(Filled(version: 1)[8], store[8]);
    }

    private static List<byte[]> Filled(int version)
    {
        List<byte[]> store = [];
        Loops.Put(new ListOperations(store), Loops.Payload(), version, 0, new long[Objects]);
        return store;
    }

    private static ulong DigestOf(List<byte[]> store)
    {
        long[] handles = new long[Objects];
        for (int index = 0; index < Objects; index++)
        {
            handles[index] = index;
        }

        return Loops.Digest(new ListOperations(store), new byte[Loops.PayloadBytes], handles, step: 1);
    }

    private readonly struct ListOperations(List<byte[]> store) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            store.Add(payload.ToArray());
            return index;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload) => payload.CopyTo(store[(int)handle]);

        public int Copy(long handle, Span<byte> target)
        {
            store[(int)handle].CopyTo(target);
            return store[(int)handle].Length;
        }

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target) => Loops.CopyEach(this, handles, target);

        public long Touch(long handle) => store[(int)handle][0];
    }
}
