using System;
using Pile.Compare.Running;
using Pile.Compare.Workloads;

namespace Pile.Compare.Contestants;

/// <summary>The floor: all payloads side by side in plain arrays, found by their number. Nothing can be cheaper and still copy.</summary>
internal sealed class ArrayEntry : IEntry
{
    private const int BlockShift = 20;
    private const int BlockMask = (1 << BlockShift) - 1;

    public string Name => "array";

    public int Order => 4;

    public string Guarantees => "nothing: one size of object, no deletes, torn by concurrent writes; the floor";

    public string Version => Entries.VersionOf(typeof(byte[]));

    public void Serve(ChildServer server) => server.Serve(new Store(server.Objects));

    private sealed class Store : IContestant<Operations>
    {
        private readonly byte[][] _blocks;

        internal Store(int objects)
        {
            _blocks = new byte[(objects >> BlockShift) + 1][];
            for (int block = 0; block < _blocks.Length; block++)
            {
                int count = int.Min(1 << BlockShift, objects - (block << BlockShift));
                _blocks[block] = new byte[count * Loops.PayloadBytes];
            }
        }

        public Operations Begin() => new(_blocks);

        public void Clear()
        {
        }

        public void Dispose()
        {
        }
    }

    private readonly struct Operations(byte[][] blocks) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            payload.CopyTo(At(index));
            return index;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload) => payload.CopyTo(At(handle));

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target) => Loops.CopyEach(this, handles, target);

        public int Copy(long handle, Span<byte> target)
        {
            At(handle).CopyTo(target);
            return Loops.PayloadBytes;
        }

        public long Touch(long handle)
        {
            Span<byte> bytes = At(handle);
            return bytes[0] + bytes[^1];
        }

        private Span<byte> At(long index) => blocks[index >> BlockShift].AsSpan((int)(index & BlockMask) * Loops.PayloadBytes, Loops.PayloadBytes);
    }
}
