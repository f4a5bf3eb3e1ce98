using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Compare.Contestants;

namespace Pile.Compare.Workloads;

/// <summary>The inner loops, one a method, called by the chunk so that each reaches the JIT's last tier. Every payload that is written
/// carries the object's number and a version.</summary>
internal static class Loops
{
    internal const int PayloadBytes = 100;
    internal const int GroupObjects = 16;
    private const int PayloadSeed = 1;
    private const int VersionShift = 40;

    /// <summary>A payload in pinned memory, the same in every process.</summary>
    internal static byte[] Payload()
    {
        byte[] payload = GC.AllocateUninitializedArray<byte>(PayloadBytes, pinned: true);
        new Random(PayloadSeed).NextBytes(payload);
        return payload;
    }

    /// <summary>Puts objects <paramref name="first"/> and following.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Put<TOperations>(TOperations operations, byte[] payload, int version, int first, Span<long> handles)
        where TOperations : struct, IOperations
    {
        for (int index = 0; index < handles.Length; index++)
        {
            Stamp(payload, first + index, version);
            handles[index] = operations.Put(first + index, payload);
        }

        return handles.Length;
    }

    /// <summary>Replaces objects whose numbers are <paramref name="indexes"/>.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Set<TOperations>(TOperations operations, byte[] payload, int version, ReadOnlySpan<int> indexes, ReadOnlySpan<long> handles)
        where TOperations : struct, IOperations
    {
        for (int at = 0; at < indexes.Length && at < handles.Length; at++)
        {
            Stamp(payload, indexes[at], version);
            operations.Set(handles[at], payload);
        }

        return handles.Length;
    }

    /// <summary>Copies each object to the same pinned buffer.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Copy<TOperations>(TOperations operations, byte[] target, ReadOnlySpan<long> handles)
        where TOperations : struct, IOperations
    {
        long sum = 0;
        foreach (long handle in handles)
        {
            int bytes = operations.Copy(handle, target);
            sum += target[0] + target[bytes - 1];
        }

        return sum;
    }

    /// <summary>Copies each object to the same pinned buffer, a group at a time.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long CopyGroups<TOperations>(TOperations operations, byte[] target, ReadOnlySpan<long> handles)
        where TOperations : struct, IOperations
    {
        long sum = 0;
        for (int first = 0; first < handles.Length; first += GroupObjects)
        {
            sum += operations.CopyMany(handles.Slice(first, int.Min(GroupObjects, handles.Length - first)), target) + target[0];
        }

        return sum;
    }

    /// <summary>A group by single copies, for contestants that have no batches.</summary>
    internal static long CopyEach<TOperations>(TOperations operations, ReadOnlySpan<long> handles, Span<byte> target)
        where TOperations : struct, IOperations
    {
        long sum = 0;
        foreach (long handle in handles)
        {
            sum += operations.Copy(handle, target);
        }

        return sum;
    }

    /// <summary>Looks at the first and last byte of each object.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static long Touch<TOperations>(TOperations operations, ReadOnlySpan<long> handles)
        where TOperations : struct, IOperations
    {
        long sum = 0;
        foreach (long handle in handles)
        {
            sum += operations.Touch(handle);
        }

        return sum;
    }

    /// <summary>A number that depends on every byte of the objects, in their order.</summary>
    internal static ulong Digest<TOperations>(TOperations operations, byte[] target, ReadOnlySpan<long> handles, int step)
        where TOperations : struct, IOperations
    {
        ulong digest = 14695981039346656037;
        for (int index = 0; index < handles.Length; index += step)
        {
            int bytes = operations.Copy(handles[index], target);
            digest = (digest ^ (uint)bytes) * 1099511628211;
            foreach (byte one in target.AsSpan(0, int.Max(bytes, 0)))
            {
                digest = (digest ^ one) * 1099511628211;
            }
        }

        return digest;
    }

    private static void Stamp(byte[] payload, int index, int version) =>
        BinaryPrimitives.WriteInt64LittleEndian(payload, ((long)version << VersionShift) | (uint)index);
}
