using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>A closed pile in real files, one of each kind, and all that is in them: to be disturbed, compared, and put right again.</summary>
internal sealed class HostileDirectory : IDisposable
{
    private const int PieceBytes = 1 << 20;
    private readonly TemporaryDirectory _place = new();
    private readonly Dictionary<PilePointer, byte[]> _kept = [];
    private readonly List<PilePointer> _gone = [];

    internal HostileDirectory(PilePromise promise = PilePromise.PowerSafe)
    {
        _ = Directory.CreateDirectory(_place.Path);
        using ObjectPile pile = ObjectPile.Open(Path, Options with { Promise = promise, OpenMode = PileOpenMode.CreateNew });
        Put(pile, 30, cleared: true);
        pile.Clear();
        Put(pile, 200, cleared: false);
    }

    /// <summary>The pile's directory.</summary>
    internal string Path => System.IO.Path.Combine(_place.Path, "pile");

    /// <summary>A path beside it.</summary>
    internal string Beside => System.IO.Path.Combine(_place.Path, "beside");

    internal static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null };

    /// <summary>The one file of a kind: "pile.meta", "extents/00000001", "table", "floors", "lock".</summary>
    internal string FileOf(string kind) => kind is "table" or "floors"
        ? Assert.Single(Directory.GetFiles(Path, kind + ".*"))
        : System.IO.Path.Combine(Path, kind);

    /// <summary>Removes the table, so that an open needs the log and the floors.</summary>
    internal void RemoveTable() => File.Delete(FileOf("table"));

    /// <summary>Names, kinds, modes, lengths and all bytes.</summary>
    internal SortedDictionary<string, string> Everything()
    {
        SortedDictionary<string, string> everything = new(StringComparer.Ordinal);
        foreach (string path in Directory.GetFileSystemEntries(Path, "*", SearchOption.AllDirectories).Prepend(Path))
        {
            var file = new FileInfo(path);
            bool isPlain = (file.Attributes & (FileAttributes.Directory | FileAttributes.ReparsePoint | FileAttributes.Device)) == 0 && file.Exists;
            everything.Add(path, $"{file.Attributes} {file.UnixFileMode} {file.LinkTarget} {(isPlain && file.Length > 0 ? Digest(path) : string.Empty)}");
        }

        return everything;
    }

    /// <summary>Opens the pile, and compares what it holds with what was stored.</summary>
    internal PileOpening RequireWhole(PileOpenMode mode = PileOpenMode.OpenExisting, string? path = null)
    {
        using ObjectPile pile = ObjectPile.Open(path ?? Path, Options with { OpenMode = mode });
        Assert.Empty(pile.RecoveryReport().Damages);
        foreach ((PilePointer pointer, byte[] content) in _kept)
        {
            Assert.Equal(content, pile.Get<byte[]>(pointer));
        }

        Assert.All(_gone, pointer => Assert.False(pile.TryLease(pointer, out _)));
        Assert.True(pile.Roots.TryGet("it", out PilePointer root));
        Assert.Contains(root, _kept.Keys);
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        if (mode != PileOpenMode.ReadOnly)
        {
            PilePointer added = pile.PutBytes([1, 2, 3]);
            Assert.DoesNotContain(added, _gone);
            Assert.True(pile.Delete(added));
            _gone.Add(added);
        }

        return pile.RecoveryReport().Opening;
    }

    /// <summary>An open that must be refused: by this exception, which names the file and says what it must, with no byte changed.</summary>
    internal void RequireRefused<TException>(string file, string said, params PileOpenMode[] modes)
        where TException : Exception
    {
        SortedDictionary<string, string> before = Everything();
        foreach (PileOpenMode mode in modes.Length > 0 ? modes : [PileOpenMode.OpenOrCreate, PileOpenMode.OpenExisting, PileOpenMode.ReadOnly])
        {
            Exception? failure = Record.Exception(() => ObjectPile.Open(Path, Options with { OpenMode = mode }).Dispose());
            Assert.True(failure is TException, $"{mode}: {failure?.ToString() ?? "it was opened"}");
            Assert.Contains(file, failure!.Message, StringComparison.Ordinal);
            Assert.Contains(said, failure.Message, StringComparison.Ordinal);
            Assert.Equal(before, Everything());
        }
    }

    /// <summary>Copies the directory: other files with the same bytes, where nothing stands the space is kept free.</summary>
    internal static void Copy(string source, string target)
    {
        _ = Directory.CreateDirectory(target);
        foreach (string directory in Directory.GetDirectories(source))
        {
            Copy(directory, System.IO.Path.Combine(target, System.IO.Path.GetFileName(directory)));
        }

        foreach (string path in Directory.GetFiles(source))
        {
            CopyFile(path, System.IO.Path.Combine(target, System.IO.Path.GetFileName(path)));
        }
    }

    /// <summary>Makes a file's bytes those of another one. By our own calls: the framework's would ask for a lock that the pile has.</summary>
    internal static void CopyFile(string source, string target)
    {
        if (!File.Exists(target))
        {
            FileProvider.Default.Open(target, FileOpening.CreateNew).Dispose();
        }

        using StoreFile from = FileProvider.Default.Open(source, FileOpening.ReadOnly);
        using StoreFile to = FileProvider.Default.Open(target, FileOpening.OpenExisting);
        to.SetBytes(0);
        to.SetBytes(from.Bytes);
        byte[] piece = new byte[16 * Limits.OsPageBytes];
        for (long offset = 0; offset < from.Bytes; offset += piece.Length)
        {
            Span<byte> read = piece.AsSpan(0, (int)long.Min(piece.Length, from.Bytes - offset));
            from.Read(offset, read);
            if (read.ContainsAnyExcept((byte)0))
            {
                to.Write(offset, read);
            }
        }
    }

    public void Dispose() => _place.Dispose();

    private static string Digest(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        byte[] piece = new byte[PieceBytes];
        for (int read; (read = file.Read(piece)) > 0;)
        {
            if (piece.AsSpan(0, read).ContainsAnyExcept((byte)0))
            {
                hash.AppendData(BytesOf(file.Position));
                hash.AppendData(piece, 0, read);
            }
        }

        return $"{file.Length} {Convert.ToHexString(hash.GetHashAndReset())}";
    }

    private static byte[] BytesOf(long position)
    {
        byte[] bytes = new byte[sizeof(long)];
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(bytes, position);
        return bytes;
    }

    private void Put(ObjectPile pile, int count, bool cleared)
    {
        List<PilePointer> put = [];
        for (int id = 0; id < count; id++)
        {
            byte[] content = Content.Make(id, 1, id == 7 ? 40_000 : 20 + (id * 5));
            put.Add(pile.PutBytes(content));
            _kept[put[^1]] = content;
        }

        pile.Roots.Set("it", put[3]);
        foreach (PilePointer pointer in cleared ? put : put.Where(static (_, index) => index % 5 == 4).ToList())
        {
            _ = _kept.Remove(pointer);
            _gone.Add(pointer);
            Assert.True(cleared || pile.Delete(pointer));
        }
    }
}
