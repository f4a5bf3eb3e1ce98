using System;
using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Pile.Bench.Mapped;

/// <summary>What the child under a limit does.</summary>
internal static class LimitedRun
{
    internal const int ObjectBytes = 1024;
    internal const int Samples = 20_000;
    private const int Seed = 3;

    /// <summary>Fills a pile with objects that say which they are, and reads some of them.</summary>
    /// <returns>How many were not what they should be.</returns>
    internal static int Run(string directory, int objects)
    {
        using ObjectPile pile = ObjectPile.Open(directory, new PileOptions { Promise = PilePromise.PowerSafe });
        var pointers = new PilePointer[objects];
        byte[] payload = new byte[ObjectBytes];
        for (int index = 0; index < objects; index++)
        {
            MemoryMarshal.Cast<byte, int>(payload.AsSpan()).Fill(index);
            pointers[index] = pile.PutBytes(payload);
        }

        int wrong = 0;
        var random = new Random(Seed);
        for (int sample = 0; sample < Samples; sample++)
        {
            int index = random.Next(objects);
            bool isRead = pile.TryCopyTo(pointers[index], payload, out int bytes) && bytes == ObjectBytes;
            wrong += isRead && BinaryPrimitives.ReadInt32LittleEndian(payload) == index && BinaryPrimitives.ReadInt32LittleEndian(payload.AsSpan(ObjectBytes - sizeof(int))) == index ? 0 : 1;
        }

        return wrong;
    }
}
