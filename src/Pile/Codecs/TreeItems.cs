// Goes over the framework's trees without allocating: their enumerator makes a stack for each walk, so each thread keeps one
// enumerator a type of item and turns it to the next tree. It moves, and notices changes, by the framework's own code.
// Where the framework's fields have other names, a new enumerator is made each time.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Items of SortedSet&lt;T&gt; and of what is built on it.</summary>
internal static class TreeItems<T>
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic;
    private static readonly bool _canTurn = HasField(typeof(SortedSet<T>.Enumerator), "_tree", typeof(SortedSet<T>))
        && HasField(typeof(SortedSet<T>.Enumerator), "_version", typeof(int))
        && HasField(typeof(SortedSet<T>), "version", typeof(int))
        && typeof(SortedSet<T>.Enumerator).GetMethod("Reset", Hidden, []) is not null;

    [ThreadStatic]
    private static SortedSet<T>? _none;

    [ThreadStatic]
    private static SortedSet<T>.Enumerator _mine;

    /// <summary>Copies the items of a tree in its order; false when they are not as many as there is room for.</summary>
    internal static bool Copy(SortedSet<T> tree, Span<T> items)
    {
        if (!_canTurn)
        {
            return Collection.Copy(tree.GetEnumerator(), items);
        }

        if (_none is null)
        {
            _none = [];
            _mine = _none.GetEnumerator();
        }

        try
        {
            Turn(tree);
            int count = 0;
            while (_mine.MoveNext())
            {
                if (count == items.Length)
                {
                    return false;
                }

                items[count++] = _mine.Current;
            }

            return count == items.Length;
        }
        finally
        {
            // Nothing of the tree is held any longer.
            Turn(_none);
        }
    }

    private static void Turn(SortedSet<T> tree)
    {
        TreeOf(ref _mine) = tree;
        VersionOf(ref _mine) = VersionOf(tree);
        Reset(ref _mine);
    }

    private static bool HasField(Type type, string name, Type fieldType) => type.GetField(name, Hidden)?.FieldType == fieldType;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tree")]
    private static extern ref SortedSet<T> TreeOf(ref SortedSet<T>.Enumerator it);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_version")]
    private static extern ref int VersionOf(ref SortedSet<T>.Enumerator it);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "version")]
    private static extern ref int VersionOf(SortedSet<T> it);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "Reset")]
    private static extern void Reset(ref SortedSet<T>.Enumerator it);
}
