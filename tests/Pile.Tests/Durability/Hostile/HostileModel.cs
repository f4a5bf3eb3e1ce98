using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>What a pile in files has acknowledged: what it must hold, now and after every later open. A call that failed may leave one
/// object that nobody has a pointer to, and, where the files failed in its midst, the new state instead of the old one.</summary>
internal sealed class HostileModel
{
    internal const string Root = "the newest";
    private readonly Dictionary<PilePointer, byte[]> _kept = [];
    private readonly Dictionary<PilePointer, byte[]?> _begun = [];
    private readonly HashSet<PilePointer> _gone = [];
    private readonly HashSet<PilePointer> _roots = [PilePointer.Null];
    private bool _isClearing;
    private long _id;

    /// <summary>Objects that are there, in the order of their puts.</summary>
    internal List<PilePointer> Pointers { get; } = [];

    internal void Put(ObjectPile pile, int bytes)
    {
        byte[] content = Content.Make(++_id, 1, bytes);
        Keep(pile.PutBytes(content), content);
    }

    internal void Update(ObjectPile pile, PilePointer pointer, int bytes)
    {
        byte[] content = Content.Make(++_id, 2, bytes);
        _begun[pointer] = content;
        pile.UpdateBytes(pointer, content);
        _kept[pointer] = content;
        _ = _begun.Remove(pointer);
    }

    internal void Delete(ObjectPile pile, PilePointer pointer)
    {
        _begun[pointer] = null;
        Assert.True(pile.Delete(pointer));
        Forget(pointer);
    }

    /// <summary>Puts one object, updates another and deletes a third, together.</summary>
    internal void Batch(ObjectPile pile)
    {
        using PileBatch batch = pile.BeginBatch();
        byte[] put = Content.Make(++_id, 1, 100);
        byte[] updated = Content.Make(++_id, 2, 100);
        PilePointer changed = Pointers[0];
        PilePointer deleted = Pointers[1];
        PilePointer added = batch.Put(put);
        batch.Update(changed, updated);
        batch.Delete(deleted);
        (_begun[added], _begun[changed], _begun[deleted]) = (put, updated, null);
        batch.Commit();
        Keep(added, put);
        _kept[changed] = updated;
        Forget(deleted);
        _begun.Clear();
    }

    internal void SetRoot(ObjectPile pile)
    {
        _roots.Add(Pointers[^1]);
        pile.Roots.Set(Root, Pointers[^1]);
        _roots.RemoveWhere(root => root != Pointers[^1]);
    }

    internal void Clear(ObjectPile pile)
    {
        foreach (PilePointer pointer in Pointers)
        {
            _begun[pointer] = null;
        }

        _roots.Add(PilePointer.Null);
        _isClearing = true;
        pile.Clear();
        _isClearing = false;
        _begun.Clear();
        _roots.RemoveWhere(static root => !root.IsNull);
        Pointers.ToList().ForEach(Forget);
    }

    /// <summary>Compares the pile with what it acknowledged.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="isSettled">Whether the pile was opened after the failure: then the call that failed may have taken place, wholly, and
    /// what the pile holds is what counts from now on.</param>
    internal void Check(ObjectPile pile, bool isSettled)
    {
        bool hasHappened = (isSettled || _isClearing) && _begun.Count > 0 && _begun.All(begun => Same(Read(pile, begun.Key), begun.Value));
        foreach (PilePointer pointer in _kept.Keys.Union(_begun.Keys).Union(_gone))
        {
            byte[]? content = hasHappened && _begun.TryGetValue(pointer, out byte[]? next) ? next : _kept.GetValueOrDefault(pointer);
            byte[]? found = Read(pile, pointer);
            Assert.True(Same(found, content), $"{pointer} has {found?.Length ?? -1} bytes instead of {content?.Length ?? -1}, or others");
        }

        PilePointer root = pile.Roots.TryGet(Root, out PilePointer named) ? named : PilePointer.Null;
        Assert.Contains(root, _roots);
        if (!isSettled)
        {
            return;
        }

        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        foreach ((PilePointer pointer, byte[]? content) in _begun.Where(_ => hasHappened).ToList())
        {
            if (content is null)
            {
                Forget(pointer);
            }
            else
            {
                Keep(pointer, content);
            }
        }

        _begun.Clear();
        _isClearing = false;
        _roots.Clear();
        _roots.Add(root);
    }

    private static bool Same(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private static byte[]? Read(ObjectPile pile, PilePointer pointer)
    {
        if (!pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            Assert.Equal(PileStatus.Stale, status);
            return null;
        }

        using (lease)
        {
            return lease.Bytes.ToArray();
        }
    }

    private void Keep(PilePointer pointer, byte[] content)
    {
        if (!_kept.ContainsKey(pointer))
        {
            Pointers.Add(pointer);
        }

        _kept[pointer] = content;
        _ = _begun.Remove(pointer);
    }

    private void Forget(PilePointer pointer)
    {
        _ = _kept.Remove(pointer);
        _ = _begun.Remove(pointer);
        _ = Pointers.Remove(pointer);
        _ = _gone.Add(pointer);
    }
}
