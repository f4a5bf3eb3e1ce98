// Work in pieces by all cores: the caller's thread and one for each other core, which end with it. An open has no time for the thread
// pool to find out how many threads it wants, nor for its loops to be compiled.
using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Primitives;

/// <summary>One piece of work after the other, by as many threads as there are cores.</summary>
internal sealed class AllCores
{
    private readonly Action<int> _work;
    private readonly int _pieces;
    private ExceptionDispatchInfo? _failure;
    private int _taken;

    private AllCores(int pieces, Action<int> work)
    {
        _pieces = pieces;
        _work = work;
    }

    /// <summary>Does all pieces, begun in rising order. Returns when all are done; after a failure the others are ended as far as they
    /// were begun, and the first is thrown.</summary>
    /// <param name="pieces">How many.</param>
    /// <param name="work">Does a piece, given its number from 0 on; by several threads at once.</param>
    internal static void Run(int pieces, Action<int> work)
    {
        var all = new AllCores(pieces, work);
        var others = new Thread?[int.Max(0, int.Min(Environment.ProcessorCount, pieces) - 1)];
        try
        {
            for (int other = 0; other < others.Length; other++)
            {
                var thread = new Thread(all.Take) { IsBackground = true, Name = "Pile opening" };
                thread.Start();
                others[other] = thread;
            }

            all.Take();
        }
        finally
        {
            foreach (Thread? other in others)
            {
                other?.Join();
            }
        }

        all._failure?.Throw();
    }

    private void Take()
    {
        try
        {
            // A failure lets nobody begin another piece.
            for (int piece = Interlocked.Increment(ref _taken) - 1; piece < _pieces && Volatile.Read(ref _failure) is null; piece = Interlocked.Increment(ref _taken) - 1)
            {
                _work(piece);
            }
        }
        catch (Exception failure)
        {
            // Told by the caller's thread, once all have ended.
            _ = Interlocked.CompareExchange(ref _failure, ExceptionDispatchInfo.Capture(failure), null);
        }
    }
}
