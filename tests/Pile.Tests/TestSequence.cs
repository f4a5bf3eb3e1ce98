using System;
using System.Buffers;

namespace Pile.Tests;

/// <summary>Sequences of bytes in several segments.</summary>
internal static class TestSequence
{
    /// <summary>Segments of equal length that share one array; segment n begins with byte n.</summary>
    internal static ReadOnlySequence<byte> Of(int segments, int bytesEach)
    {
        byte[] shared = new byte[bytesEach];
        new Random(bytesEach).NextBytes(shared);
        var first = new Part(shared, null);
        Part last = first;
        for (int index = 1; index < segments; index++)
        {
            last = new Part(shared, last);
        }

        return new ReadOnlySequence<byte>(first, 0, last, bytesEach);
    }

    /// <summary>Two segments, of which the second throws when it is read.</summary>
    internal static ReadOnlySequence<byte> Throwing()
    {
        var first = new Part(new byte[10], null);
        return new ReadOnlySequence<byte>(first, 0, new Part(new Broken().Memory, first), 10);
    }

    private sealed class Part : ReadOnlySequenceSegment<byte>
    {
        internal Part(ReadOnlyMemory<byte> memory, Part? before)
        {
            Memory = memory;
            if (before is not null)
            {
                before.Next = this;
                RunningIndex = before.RunningIndex + before.Memory.Length;
            }
        }
    }

    private sealed class Broken : MemoryManager<byte>
    {
        public override Memory<byte> Memory => CreateMemory(10);

        public override Span<byte> GetSpan() => throw new InvalidTimeZoneException("planted");

        public override MemoryHandle Pin(int elementIndex = 0) => default;

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
