using System;
using System.IO;
using System.Threading;
using Microsoft.Win32.SafeHandles;
using Pile.Bench.Baselines;

namespace Pile.Bench.Mapped;

/// <summary>Has the system write the files of a folder again and again, as it does when they change for long.</summary>
internal sealed class Writeback : IDisposable
{
    private const int PauseMs = 50;
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread _thread;

    /// <summary>Begins.</summary>
    internal Writeback(string folder)
    {
        _thread = new Thread(() => Run(folder)) { IsBackground = true, Name = "bench writeback" };
        _thread.Start();
    }

    /// <summary>Ends.</summary>
    public void Dispose()
    {
        _end.Set();
        _thread.Join();
        _end.Dispose();
    }

    private void Run(string folder)
    {
        while (!_end.Wait(PauseMs))
        {
            foreach (string path in Directory.GetFiles(folder))
            {
                using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
                _ = SystemCalls.SyncData(file);
            }
        }
    }
}
