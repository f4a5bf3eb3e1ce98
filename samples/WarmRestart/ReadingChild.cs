using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using PackageGraph.Data;
using Pile;

namespace WarmRestart;

/// <summary>The child that starts again: opens the pile, reads, says so, and then compares every acknowledged object. Its lines are
/// "read", "opened ..." and "proved ...".</summary>
internal static class ReadingChild
{
    internal const string Verb = "child-read";

    /// <summary>Opens and proves.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="acknowledged">A file of what was acknowledged.</param>
    /// <param name="isCut">Whether only what was committed must be there; the rest may be missing or as it was before.</param>
    internal static int Run(string directory, string acknowledged, bool isCut)
    {
        long start = Stopwatch.GetTimestamp();
        using ObjectPile pile = ObjectPile.Open(directory, new PileOptions { OpenMode = PileOpenMode.OpenExisting });
        double openedMs = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        if (!pile.Roots.TryGet("first", out PilePointer first) || pile.Get<StoredPackage>(first).Row != 0)
        {
            throw new InvalidDataException("The first package is not there.");
        }

        Console.WriteLine("read");
        Console.Out.Flush();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"opened {pile.RecoveryReport().Opening} {openedMs:0.00}"));
        Console.WriteLine(Prove(pile, acknowledged, isCut));
        return 0;
    }

    private static string Prove(ObjectPile pile, string acknowledged, bool isCut)
    {
        (Dictionary<long, Acknowledgement> committed, Dictionary<long, Acknowledgement> last) = Read(acknowledged);
        List<PackageRow> rows = PackageFile.Read();
        int present = 0;
        int lost = 0;
        foreach ((long word, Acknowledgement said) in last)
        {
            var pointer = PilePointer.FromInt64(word);
            bool isThere = pile.TryGet(pointer, out StoredPackage? found, out PileStatus status);
            bool mustBe = !isCut || committed.ContainsKey(word);
            int least = isCut ? committed.GetValueOrDefault(word).Revision : said.Revision;
            if (!isThere && (mustBe || status != PileStatus.Stale))
            {
                throw new InvalidDataException($"{pointer}, acknowledged in revision {said.Revision}, is {status}.");
            }

            if (isThere && (found!.Revision < least || !found.IsSame(StoredPackage.Of(rows[said.Row], said.Row, found.Revision))))
            {
                throw new InvalidDataException($"{pointer} holds revision {found.Revision} of {found.Name}, and {said.Revision} of {rows[said.Row].Name} was acknowledged.");
            }

            present += isThere && mustBe ? 1 : 0;
            lost += isThere && found!.Revision >= said.Revision ? 0 : 1;
        }

        return string.Create(CultureInfo.InvariantCulture, $"proved {(isCut ? committed.Count : last.Count)} {present} {lost}");
    }

    /// <summary>The last acknowledgement of each object: of those before the commit, and of all.</summary>
    private static (Dictionary<long, Acknowledgement> Committed, Dictionary<long, Acknowledgement> Last) Read(string path)
    {
        Dictionary<long, Acknowledgement> committed = [];
        Dictionary<long, Acknowledgement> last = [];
        byte[] bytes = File.ReadAllBytes(path);
        for (int at = 0; at + Acknowledgement.Bytes <= bytes.Length; at += Acknowledgement.Bytes)
        {
            var said = Acknowledgement.Read(bytes.AsSpan(at));
            if (said.IsCommit)
            {
                committed = new Dictionary<long, Acknowledgement>(last);
            }
            else
            {
                last[said.Pointer] = said;
            }
        }

        return (committed, last);
    }
}
