// Named pointers of a pile, by which a program finds its data again. In a pile of files they are stored with the same promise as
// objects; in memory they last as long as the pile.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using Pile.Heap;
using Pile.Primitives;

namespace Pile;

/// <summary>The roots of one pile. Thread-safe; each change is atomic.</summary>
/// <remarks>Names are compared ordinally and may have 1 to 1,024 bytes of UTF-8. A root does not keep its object alive: when that is
/// deleted, the root's pointer is stale. Clear removes all roots.</remarks>
public sealed class PileRoots
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Root> _roots = new(StringComparer.Ordinal);
    private readonly HeapBase _core;
    private readonly HeapRoots? _heap;
    private List<uint>? _shadowed;

    /// <summary>Roots of a pile.</summary>
    /// <param name="core">The pile's.</param>
    /// <param name="heap">Their records; null for a pile in memory, where they are none.</param>
    internal PileRoots(HeapBase core, HeapRoots? heap = null)
    {
        _core = core;
        _heap = heap;
    }

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _roots.Count;
            }
        }
    }

    /// <summary>The names, in ordinal order, as they were at one moment.</summary>
    public IReadOnlyList<string> Names
    {
        get
        {
            lock (_gate)
            {
                List<string> names = [.. _roots.Keys];
                names.Sort(StringComparer.Ordinal);
                return names;
            }
        }
    }

    /// <summary>Finds a root.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="pointer">Where it leads.</param>
    /// <returns>False when there is none of that name.</returns>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public bool TryGet(string name, out PilePointer pointer)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (_core.IsDisposed)
        {
            Throw.Disposed();
        }

        lock (_gate)
        {
            bool found = _roots.TryGetValue(name, out Root? root);
            pointer = root?.Pointer ?? default;
            return found;
        }
    }

    /// <summary>Adds a root, or lets one lead elsewhere.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="pointer">Where it leads; it is stored as it is, whether or not its object exists.</param>
    /// <exception cref="ArgumentException">The name is empty or too long, or holds half of a surrogate pair.</exception>
    /// <exception cref="PileFullException">There is no room; nothing was changed.</exception>
    /// <exception cref="PilePoisonedException">A flush failed before; nothing was changed.</exception>
    /// <exception cref="PileException">The root has used up its versions, or the pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public void Set(string name, PilePointer pointer) => _ = TrySet(name, pointer, static (_, _) => true);

    /// <summary>Lets a root lead elsewhere if it leads where the caller believes.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="pointer">Where it is to lead.</param>
    /// <param name="expected">Where it must lead now; the null pointer for a name that must not be there.</param>
    /// <returns>False when it leads elsewhere; nothing was changed.</returns>
    /// <inheritdoc cref="Set"/>
    public bool TryExchange(string name, PilePointer pointer, PilePointer expected) =>
        TrySet(name, pointer, (found, present) => found ? present == expected : expected.IsNull);

    /// <summary>Removes a root. Its object stays.</summary>
    /// <param name="name">Its name.</param>
    /// <returns>False when there is none of that name.</returns>
    /// <exception cref="PileFullException">There is no room for the removal; nothing was changed.</exception>
    /// <exception cref="PilePoisonedException">A flush failed before; nothing was changed.</exception>
    /// <exception cref="PileException">The pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public bool Remove(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_gate)
        {
            if (!_roots.TryGetValue(name, out Root? root))
            {
                return false;
            }

            ThrowUnlessOk(_heap?.Remove(root.Slot) ?? _core.WriteRefusal, nameof(Remove));
            return _roots.Remove(name);
        }
    }

    /// <summary>Takes a root that an open or an import found. It stands over one of its name that was taken before.</summary>
    internal void Restore(uint slot, string name, ulong pointer)
    {
        lock (_gate)
        {
            if (_roots.TryGetValue(name, out Root? other))
            {
                (_shadowed ??= []).Add(other.Slot);
            }

            _roots[name] = new Root(new PilePointer(pointer)) { Slot = slot };
        }
    }

    /// <summary>Ends roots whose name another one has: a power cut, or damage, took the removal of the one, and left the other, which was set after it.
    /// Without room for that the next open does it.</summary>
    internal void EndShadowed()
    {
        lock (_gate)
        {
            _ = _shadowed?.RemoveAll(slot => _heap!.Remove(slot) == PileStatus.Ok);
        }
    }

    /// <summary>Slots of roots that are there and count for nothing, because another one has their name.</summary>
    internal IReadOnlyList<uint> Shadowed()
    {
        lock (_gate)
        {
            return _shadowed is { Count: > 0 } shadowed ? [.. shadowed] : [];
        }
    }

    /// <summary>All roots, in ordinal order of their names, as they are at one moment.</summary>
    internal IReadOnlyList<KeyValuePair<string, PilePointer>> Snapshot()
    {
        lock (_gate)
        {
            List<KeyValuePair<string, PilePointer>> roots = [];
            foreach ((string name, Root root) in _roots)
            {
                roots.Add(new KeyValuePair<string, PilePointer>(name, root.Pointer));
            }

            roots.Sort(static (one, other) => string.CompareOrdinal(one.Key, other.Key));
            return roots;
        }
    }

    /// <summary>Why a name can't be a root's; null when it can.</summary>
    internal static string? ProblemOf(string name)
    {
        int bytes;
        try
        {
            bytes = new UTF8Encoding(false, throwOnInvalidBytes: true).GetByteCount(name);
        }
        catch (EncoderFallbackException failure)
        {
            return $"The root's name holds half of a surrogate pair at char {failure.Index}.";
        }

        return bytes == 0 ? "The root's name is empty."
            : bytes > Limits.RootNameBytesMax ? $"The root's name has {bytes:N0} bytes of UTF-8, and may have {Limits.RootNameBytesMax:N0} (RootNameBytesMax)."
            : null;
    }

    /// <summary>Does something while no root changes: who changes one holds the gate while it waits for a writer, so that the gate comes first.</summary>
    internal void WhileStill(Action action)
    {
        lock (_gate)
        {
            action();
        }
    }

    /// <summary>Forgets all roots, whose records are gone.</summary>
    internal void Clear()
    {
        lock (_gate)
        {
            _roots.Clear();
            _shadowed = null;
        }
    }

    private bool TrySet(string name, PilePointer pointer, Func<bool, PilePointer, bool> mayChange)
    {
        CheckName(name);
        lock (_gate)
        {
            bool found = _roots.TryGetValue(name, out Root? root);
            if (!mayChange(found, root?.Pointer ?? default))
            {
                return false;
            }

            // All that may find no memory comes before the record: one whose slot is not known here would leave the name with two.
            _ = _roots.EnsureCapacity(_roots.Count + 1);
            uint slot = root?.Slot ?? 0;
            var set = new Root(pointer);
            ThrowUnlessOk(_heap?.Set(ref slot, name, pointer.Word) ?? _core.WriteRefusal, nameof(Set));
            set.Slot = slot;
            _roots[name] = set;
            return true;
        }
    }

    private static void CheckName(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (ProblemOf(name) is { } problem)
        {
            throw new ArgumentException(problem, nameof(name));
        }
    }

    private void ThrowUnlessOk(PileStatus status, string operation)
    {
        if (status == PileStatus.Full)
        {
            throw new PileFullException(FormattableString.Invariant($"{operation} of a root: the pile is full ({_core.Budget.UsedBytes:N0} of a limit of {_core.Budget.LimitBytes:N0} bytes are in use). Delete objects, or raise MemoryLimitBytes, of a pile in files DiskLimitBytes. Nothing was changed."));
        }

        if (status != PileStatus.Ok)
        {
            _core.ThrowIfPoisoned(status);
            Throw.Failed(status, default, operation);
        }
    }

    private sealed record Root(PilePointer Pointer)
    {
        internal uint Slot { get; set; }
    }
}
