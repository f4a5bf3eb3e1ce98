// Where a source generator leaves the functions it made for a type: same order, same formatters, same bytes as the others,
// but neither reflection nor run-time compilation. A module initializer provides them before the type is first used.
using System.Threading;

namespace Pile.Codecs;

/// <summary>The generated access to the fields of T, if there is any.</summary>
internal static class GeneratedFields<T>
{
    private static FieldsWrite<T>? _write;
    private static FieldsRead<T>? _read;

    /// <summary>Writes one value per field, base classes first, in the order of declaration; null when nothing was generated.</summary>
    internal static FieldsWrite<T>? Write => Volatile.Read(ref _write);

    /// <summary>Reads what <see cref="Write"/> writes.</summary>
    internal static FieldsRead<T>? Read => Volatile.Read(ref _read);

    /// <summary>Provides both; must be called before the first object of the type is put or got.</summary>
    internal static void Provide(FieldsWrite<T> write, FieldsRead<T> read)
    {
        Volatile.Write(ref _read, read);
        Volatile.Write(ref _write, write);
    }
}
