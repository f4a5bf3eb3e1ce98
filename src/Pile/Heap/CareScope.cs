// The time in which somebody reads a pile's memory, or its files, outside of epochs: who ends the pile waits for its end.
// Single calls that are guarded so enter and leave by hand (HeapBase.TryEnterCare).
using System;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>A stay that the end of a pile waits for.</summary>
internal readonly ref struct CareScope : IDisposable
{
    private readonly HeapBase _core;

    /// <exception cref="ObjectDisposedException">The pile was disposed, or is being.</exception>
    internal CareScope(HeapBase core)
    {
        if (!core.TryEnterCare())
        {
            Throw.Disposed();
        }

        _core = core;
    }

    /// <summary>Ends it.</summary>
    public void Dispose() => _core.ExitCare();
}
