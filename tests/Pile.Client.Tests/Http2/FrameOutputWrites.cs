using System;
using System.Threading.Tasks;
using Pile.Client.Http2;

namespace Pile.Client.Tests.Http2;

/// <summary>Writes as a line's pump makes them.</summary>
internal static class FrameOutputWrites
{
    /// <summary>Returns when all is on its way or in the buffer.</summary>
    internal static async ValueTask WriteAsync(this FrameOutput output, ReadOnlyMemory<byte> data)
    {
        while (!output.TryWrite(ref data))
        {
            await output.Room.Task;
        }
    }
}
