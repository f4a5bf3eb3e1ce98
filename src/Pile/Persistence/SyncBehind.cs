// Makes files durable on a thread of its own, one after the other, while the caller writes the next: the device then works from the
// first file on, and not only once all are written. The first failure is thrown where the caller waits for the end.
using System;
using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>Files that are made durable beside their writer. For one writer.</summary>
internal sealed class SyncBehind : IDisposable
{
    private readonly BlockingCollection<StoreFile> _files = [];
    private readonly Thread _thread;
    private Exception? _failure;

    /// <summary>Starts the thread.</summary>
    internal SyncBehind()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "Pile copy sync" };
        _thread.Start();
    }

    /// <summary>Hands over a file in which all is written; it stays open until <see cref="Complete"/> or Dispose has returned.</summary>
    internal void Add(StoreFile file) => _files.Add(file);

    /// <summary>Waits until all files are durable; throws what kept one from it.</summary>
    internal void Complete()
    {
        End();
        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        End();
        _files.Dispose();
    }

    private void End()
    {
        _files.CompleteAdding();
        Gates.Anyhow(_thread.Join);
    }

    private void Run()
    {
        try
        {
            foreach (StoreFile file in _files.GetConsumingEnumerable())
            {
                file.Sync();
            }
        }
        catch (Exception failure)
        {
            _failure = failure;
        }
    }
}
