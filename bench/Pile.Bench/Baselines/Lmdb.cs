using System;
using System.IO;
using System.Runtime.InteropServices;
using Pile.Bench.Running;

namespace Pile.Bench.Baselines;

/// <summary>As much of LMDB as one put a transaction takes, synced as it comes. For one thread.</summary>
// SAFETY: environment and database are valid from the constructor to Dispose, a transaction from its begin to its commit.
internal sealed unsafe partial class Lmdb : IDisposable
{
    private const string Library = "liblmdb.so.0";
    private const int OwnerFile = 0x180; // rw-------
    private readonly nint _environment;
    private readonly uint _database;

    /// <summary>Creates one in a folder that is there.</summary>
    // SAFETY: the calls get addresses of fields and locals of this frame.
    internal Lmdb(string folder, long bytesMax)
    {
        nint environment;
        Check(Create(&environment), "mdb_env_create");
        _environment = environment;
        Check(SetMapSize(_environment, (nuint)bytesMax), "mdb_env_set_mapsize");
        Check(Open(_environment, folder, 0, OwnerFile), "mdb_env_open");
        nint transaction;
        uint database;
        Check(Begin(_environment, 0, 0, &transaction), "mdb_txn_begin");
        Check(OpenDatabase(transaction, 0, 0, &database), "mdb_dbi_open");
        Check(Commit(transaction), "mdb_txn_commit");
        _database = database;
    }

    /// <summary>Its version; refuses where it is not installed.</summary>
    // SAFETY: the call stores three numbers into locals and returns text that is never freed.
    internal static string Describe()
    {
        try
        {
            int major, minor, patch;
            _ = Version(&major, &minor, &patch);
            return $"LMDB {major}.{minor}.{patch}";
        }
        catch (DllNotFoundException)
        {
            throw new NotAvailableException($"{Library} is not there: install the Debian package liblmdb0");
        }
    }

    /// <summary>Puts one value under a key in a transaction of its own, and returns when it is durable.</summary>
    // SAFETY: key and value are pinned or on this frame for the calls, which copy them.
    internal void Put(long key, ReadOnlySpan<byte> value)
    {
        nint transaction;
        Check(Begin(_environment, 0, 0, &transaction), "mdb_txn_begin");
        fixed (byte* bytes = value)
        {
            var name = new Value { Bytes = sizeof(long), Start = &key };
            var stored = new Value { Bytes = (nuint)value.Length, Start = bytes };
            Check(Put(transaction, _database, &name, &stored, 0), "mdb_put");
        }

        Check(Commit(transaction), "mdb_txn_commit");
    }

    // SAFETY: closes what the constructor opened, once.
    public void Dispose() => Close(_environment);

    private static void Check(int result, string call)
    {
        if (result != 0)
        {
            throw new IOException($"{call} answered {result}.");
        }
    }

    // SAFETY: the imports of lmdb.h; callers above pass what they own, and strings as copies of the generated code.
    [LibraryImport(Library, EntryPoint = "mdb_version")]
    private static partial nint Version(int* major, int* minor, int* patch);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_env_create")]
    private static partial int Create(nint* environment);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_env_set_mapsize")]
    private static partial int SetMapSize(nint environment, nuint bytes);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_env_open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(nint environment, string path, uint flags, int mode);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_env_close")]
    private static partial void Close(nint environment);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_txn_begin")]
    private static partial int Begin(nint environment, nint parent, uint flags, nint* transaction);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_txn_commit")]
    private static partial int Commit(nint transaction);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_dbi_open")]
    private static partial int OpenDatabase(nint transaction, nint name, uint flags, uint* database);

    // SAFETY: as above.
    [LibraryImport(Library, EntryPoint = "mdb_put")]
    private static partial int Put(nint transaction, uint database, Value* key, Value* value, uint flags);

    private struct Value
    {
        internal nuint Bytes;
        internal void* Start;
    }
}
