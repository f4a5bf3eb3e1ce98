// What the leases of all tables share: how many there may be, by their bytes, how many calls may wait for them, their clock and their numbers.
// The leases themselves are TableLeases'.
using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Threading;
using Pile.Server.Calls;

namespace Pile.Server.Leases;

/// <summary>The room for leases, server-wide. Thread-safe.</summary>
internal sealed class LeaseRoom(TimeProvider? time = null) : ByteBudget(
    ServerLimits.LeaseBytesMax, $"Leases, and the calls that wait for them, take as much as they may: {ServerLimits.LeaseBytesMax:N0} bytes. Try again in a moment, or compute the value without one.")
{
    private const int NumberBits = 53; // what a double holds, which is what numbers are in some languages

    private int _waiting;

    internal TimeProvider Time { get; } = time ?? TimeProvider.System;

    internal int Waiting => Volatile.Read(ref _waiting);

    /// <summary>The number of a new lease: a random one, so that none of before a restart is taken for it.</summary>
    internal static ulong NewNumber()
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(bytes);
        return (BinaryPrimitives.ReadUInt64LittleEndian(bytes) >> (64 - NumberBits)) | 1;
    }

    /// <summary>Counts one in who waits.</summary>
    /// <param name="keyBytes">Bytes of its key, which its request has once more.</param>
    /// <exception cref="Grpc.Core.RpcException">As many wait as may, or there is no room.</exception>
    internal void BeginWait(int keyBytes)
    {
        if (Interlocked.Increment(ref _waiting) > ServerLimits.LeaseWaitersMax)
        {
            _ = Interlocked.Decrement(ref _waiting);
            throw CallFailure.Busy($"{ServerLimits.LeaseWaitersMax:N0} calls wait for leases of others, as many as there may be. Try again in a moment, or with wait_ms = 0.");
        }

        try
        {
            Take(2L * keyBytes);
        }
        catch
        {
            _ = Interlocked.Decrement(ref _waiting);
            throw;
        }
    }

    internal void EndWait(int keyBytes)
    {
        Give(2L * keyBytes);
        _ = Interlocked.Decrement(ref _waiting);
    }
}
