using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using PackageGraph.Data;
using Pile;

namespace WarmRestart;

/// <summary>The child that writes until it kills itself: loads the packages, commits, then puts and updates for ever. Each call is
/// acknowledged over standard output once it has returned. Another thread ends the process with SIGKILL in the midst of it.</summary>
internal static class WritingChild
{
    internal const string Verb = "child-write";
    private const int AcknowledgedAtOnce = 32;

    /// <summary>Runs until the kill.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="packages">How many packages to load.</param>
    /// <param name="writes">After how many acknowledged writes the kill comes.</param>
    /// <param name="seed">What to write.</param>
    /// <param name="isHeld">Whether nothing is flushed after the first commit: neither by the clock nor because cleaning wants to use
    /// space again. What was written since is then the parent's to drop.</param>
    /// <remarks>After the commit it waits for a byte from standard input.</remarks>
    internal static int Run(string directory, int packages, int writes, int seed, bool isHeld)
    {
        List<PackageRow> rows = PackageFile.Read();
        rows = rows[..int.Min(packages, rows.Count)];
        using Stream pipe = Console.OpenStandardOutput();

        var options = new PileOptions();
        using ObjectPile pile = ObjectPile.Open(directory, isHeld ? options with { FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false, UsedOverLive = 16 } : options);
        var pointers = new PilePointer[rows.Count];
        int[] revisions = new int[rows.Count];
        byte[] said = new byte[AcknowledgedAtOnce * Acknowledgement.Bytes];
        int filled = 0;
        void Say(Acknowledgement what, bool now)
        {
            what.Write(said.AsSpan(filled));
            filled += Acknowledgement.Bytes;
            if (now || filled == said.Length)
            {
                pipe.Write(said, 0, filled);
                pipe.Flush();
                filled = 0;
            }
        }

        for (int row = 0; row < rows.Count; row++)
        {
            pointers[row] = pile.Put(StoredPackage.Of(rows[row], row, 0));
            Say(new Acknowledgement(pointers[row].ToInt64(), row, 0), now: false);
        }

        pile.Roots.Set("first", pointers[0]);
        pile.Commit();
        Say(Acknowledgement.Commit, now: true);
        _ = Console.OpenStandardInput().ReadByte();
        long flush = pile.LastFlush();
        using var enough = new ManualResetEventSlim();
        new Thread(() =>
        {
            enough.Wait();
            Process.GetCurrentProcess().Kill();
        }).Start();
        var random = new Random(seed);
        for (int write = 0; ; write++)
        {
            int row = random.Next(rows.Count);
            int revision = ++revisions[row];
            PilePointer pointer = pointers[row];
            if (write % 4 == 0)
            {
                pointer = pile.Put(StoredPackage.Of(rows[row], row, revision));
            }
            else
            {
                pile.Update(pointer, StoredPackage.Of(rows[row], row, revision));
            }

            Say(new Acknowledgement(pointer.ToInt64(), row, revision), now: false);
            if (isHeld && pile.LastFlush() != flush)
            {
                throw new InvalidOperationException("The pile was flushed once more: what a power cut would leave can't be said from the flush before.");
            }

            if (write == writes)
            {
                enough.Set();
            }
        }
    }
}
