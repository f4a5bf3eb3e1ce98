// Ends an open that failed once meta says that the pile is in use. A close in order says that it is not: else a power cut would make of a
// pile that nobody has changed since its last close one that was not closed.
using System;
using System.IO;

namespace Pile.Heap;

/// <summary>Ends of opens that failed late.</summary>
internal static class FailedOpen
{
    /// <summary>Closes a heap that nobody has seen. The failure that ended the open is told, not one of this.</summary>
    internal static void Close(DurableHeap heap) => Close(heap.Core);

    /// <summary>Closes a heap that nobody has seen, or the pile around it, whose threads have begun then.</summary>
    internal static void Close(IDisposable opened)
    {
        try
        {
            opened.Dispose();
        }
        catch (IOException)
        {
            // Closed all the same.
        }
    }
}
