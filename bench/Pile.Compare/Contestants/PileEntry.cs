using System;
using System.Runtime.InteropServices;
using Pile.Compare.Running;

namespace Pile.Compare.Contestants;

/// <summary>Pile: the handle is the pointer. Defaults throughout.</summary>
internal sealed class PileEntry : IEntry
{
    public string Name => Entries.Ours;

    public int Order => 0;

    public string Guarantees => "no key index: the caller keeps 8-byte pointers; a hard memory limit that answers Full; stale pointers are recognised; no eviction; in memory only";

    public string Version => Entries.VersionOf(typeof(ObjectPile));

    public void Serve(ChildServer server) => server.Serve(new Store());

    private sealed class Store : IContestant<Operations>
    {
        private readonly ObjectPile _pile = ObjectPile.Create();

        public Operations Begin() => new(_pile);

        public void Clear() => _pile.Clear();

        public void Dispose() => _pile.Dispose();
    }

    private readonly struct Operations(ObjectPile pile) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload) => pile.PutBytes(payload).ToInt64();

        public void Set(long handle, ReadOnlySpan<byte> payload) => pile.UpdateBytes(PilePointer.FromInt64(handle), payload);

        public int Copy(long handle, Span<byte> target) => pile.TryCopyTo(PilePointer.FromInt64(handle), target, out int bytes) ? bytes : -1;

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target)
        {
            var copier = new Copier(target);
            pile.LeaseMany(MemoryMarshal.Cast<long, PilePointer>(handles), ref copier);
            return copier.Bytes;
        }

        public long Touch(long handle)
        {
            using PileLease lease = pile.Lease(PilePointer.FromInt64(handle));
            ReadOnlySpan<byte> bytes = lease.Bytes;
            return bytes[0] + bytes[^1];
        }
    }
}
