using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>Looks at all of a pile that was opened from changed files, and judges what comes of it.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal sealed class FuzzLook(FuzzOrigin origin, bool isSealed, ICollection<string> shapes, Random choices, string beside)
{
    private const int ItemsMax = 5000;
    private const int ReadsMax = 120;
    private const int ExportBytesMax = 256 << 20;

    /// <summary>Whether checksums were made to fit the changes: then what is read may be another value.</summary>
    internal bool IsSealed => isSealed;

    /// <summary>Runs; a documented exception is an outcome, any other is found.</summary>
    /// <returns>Whether there was none.</returns>
    internal bool Attempt(string name, Action action, bool isCall = false)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception failure) when (failure is not FuzzFoundException)
        {
            bool isDocumented = failure is PileException or ObjectDisposedException ? failure is not (PileLockedException or PileBusyException or ObjectDisposedException)
                : !isCall && failure is IOException or UnauthorizedAccessException;
            if (!isDocumented)
            {
                throw new FuzzFoundException($"{name}: {failure.GetType().Name}: {failure.Message} at {FuzzShape.Of(failure)}\n{failure}", failure);
            }

            shapes.Add($"{name}: {FuzzShape.Of(failure)}");
            return false;
        }
    }

    /// <summary>Notes what a salvage said.</summary>
    internal void Note(PileSalvageReport report)
    {
        Note(report.Opened, "salvage");
        foreach (PileDamageReport dropped in report.Dropped.Take(ReadsMax))
        {
            shapes.Add($"dropped: {FuzzShape.Of(dropped.What)}");
        }
    }

    /// <summary>Reads, lists, verifies, describes, copies and exports.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="name">What it is called in outcomes.</param>
    /// <param name="isTrusting">Whether values are not compared: the pile reads without a look at checksums, or others were stored.</param>
    internal void At(ObjectPile pile, string name, bool isTrusting = false)
    {
        Note(pile.RecoveryReport(), name);

        // After a crawl, and in what a salvage brings, an object may have stepped back.
        bool isOld = pile.RecoveryReport() is { Damages.Count: > 0 } or { MayBeOlder: true } or { Opening: PileOpening.Crawled } || name == "salvaged";
        foreach (PilePointer pointer in origin.Pointers.Where((_, index) => index % 4 == 0 || !isSealed))
        {
            Read(pile, pointer, isTrusting, isOld, name);
        }

        _ = Attempt($"{name}, list", () => List(pile, name), isCall: true);
        _ = Attempt($"{name}, roots", () => pile.Roots.Names.ToList().ForEach(root => pile.Roots.TryGet(root, out _)), isCall: true);
        _ = Attempt($"{name}, types", () => pile.StoredTypes(), isCall: true);
        _ = Attempt($"{name}, statistics", () => _ = pile.GetStatistics().Objects + pile.ListSegments().Count, isCall: true);
        _ = Attempt($"{name}, verify", () => Verify(pile), isCall: true);
        if (choices.Next(4) == 0)
        {
            Copy(pile, name);
        }

        if (choices.Next(4) == 0)
        {
            Export(pile, name);
        }
    }

    private void Note(PileRecoveryReport report, string name)
    {
        shapes.Add($"{name}: {report.Opening}, {FuzzShape.Of(report.Reason)}");
        foreach (PileDamageReport damage in report.Damages.Take(ReadsMax))
        {
            shapes.Add($"{name}: {FuzzShape.Of(damage.What)}");
        }
    }

    private void Read(ObjectPile pile, PilePointer pointer, bool isTrusting, bool isOld, string name)
    {
        PileStatus status = PileStatus.Ok;
        string? problem = null;
        _ = Attempt($"{name}, lease", () =>
        {
            if (pile.TryLease(pointer, out PileLease lease, out status))
            {
                problem = isSealed || isTrusting ? null : origin.Problem(pointer, lease.Bytes, isOld);
                lease.Dispose();
            }
        }, isCall: true);
        if (problem is not null && (!isOld || problem[0] == 'i'))
        {
            throw new FuzzFoundException($"{name}: {pointer} has a value that it never had: {problem}");
        }

        shapes.Add($"{name}, lease: {status}");
    }

    private void List(ObjectPile pile, string name)
    {
        int listed = 0;
        int read = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            if (++listed > ItemsMax)
            {
                break;
            }

            shapes.Add($"{name}, item: {item.Kind}");
            PilePointer pointer = item.Pointer;
            if (read < ReadsMax && (item.Kind is not PileKind.Bytes || choices.Next(16) == 0))
            {
                read++;
                _ = Attempt($"{name}, describe", () => pile.ToJson(pointer), isCall: true);
                _ = Attempt($"{name}, get", () => pile.TryGet(pointer, out object? _, out _), isCall: true);
                _ = Attempt($"{name}, type", () => pile.TypeNameOf(pointer), isCall: true);
            }
        }
    }

    private void Verify(ObjectPile pile)
    {
        PileVerifyReport report = pile.Verify();
        foreach (PileFinding finding in report.Findings.Take(ReadsMax))
        {
            shapes.Add($"verify: {finding.Damage}, {FuzzShape.Of(finding.Expected)}, {FuzzShape.Of(finding.Actual)}");
        }
    }

    private void Copy(ObjectPile pile, string name)
    {
        string copy = beside + ".copy";
        bool isCopied = Attempt($"{name}, copy", () => pile.CopyTo(copy));
        if (isCopied)
        {
            _ = Attempt($"{name}, open of a copy", () =>
            {
                using ObjectPile copied = ObjectPile.Open(copy, FuzzOrigin.Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true });
                Note(copied.RecoveryReport(), "copied");
                Verify(copied);
            });
        }

        if (Directory.Exists(copy))
        {
            Directory.Delete(copy, recursive: true);
        }
    }

    private void Export(ObjectPile pile, string name)
    {
        using var stream = new MemoryStream();
        if (Attempt($"{name}, export", () => pile.Export(stream)) && stream.Length < ExportBytesMax)
        {
            stream.Position = 0;
            _ = Attempt($"{name}, import", () => PileImport.ToMemory(stream, FuzzOrigin.Options with { MemoryLimitBytes = 64 << 20, DiskReserveBytes = null }).Dispose());
        }
    }
}
