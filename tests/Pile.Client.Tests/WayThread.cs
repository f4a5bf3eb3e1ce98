using System;
using System.Net.Sockets;
using System.Threading;

namespace Pile.Client.Tests;

/// <summary>Threads of ways that go by without the thread pool.</summary>
internal static class WayThread
{
    /// <summary>Does work until its socket ends.</summary>
    internal static void Start(Action work)
    {
        void Run()
        {
            try
            {
                work();
            }
            catch (Exception end) when (end is SocketException or ObjectDisposedException)
            {
                // It was closed, or one of the sides has ended.
            }
        }

        new Thread(Run) { IsBackground = true }.Start();
    }
}
