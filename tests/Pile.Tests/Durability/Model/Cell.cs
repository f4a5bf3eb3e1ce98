using System;

namespace Pile.Tests.Durability.Model;

/// <summary>One durable thing that the disk holds whole or not at all: what the page cache shows, and everything that the disk
/// may hold instead. A store adds, a sync leaves what is shown, a cut leaves any one of them: which, is asked when it is read,
/// so that what nobody reads stays open. The page cache's value stands last, the others in rising order.</summary>
internal sealed class Cell
{
    private const int ValuesMax = 12;
    private readonly ulong[] _values = new ulong[ValuesMax];
    private int _count = 1;
    private bool _isUnread;
    private bool _isFailed;
    private bool _isOfBefore;

    /// <summary>Whether a cut came and nobody has looked yet.</summary>
    internal bool IsUnread => _isUnread;

    /// <summary>Whether the disk may hold something else than what is shown.</summary>
    internal bool IsDirty => _count > 1 && !_isUnread;

    /// <summary>Whether the kernel believes, after a failed sync, that the disk holds what is shown.</summary>
    internal bool IsFailed => _isFailed;

    /// <summary>Whether what is shown was stored before the present process had opened the pile, and was not synced since.</summary>
    internal bool IsOfBefore => _isOfBefore;

    /// <summary>What the page cache shows.</summary>
    internal ulong Now => _isUnread ? throw new InvalidOperationException("what the disk held at the cut was never asked") : _values[_count - 1];

    /// <summary>What the disk may hold, what is shown among it.</summary>
    internal ReadOnlySpan<ulong> Possible => _values.AsSpan(0, _count);

    /// <summary>A store into the page cache; from here on the kernel may write it out at any time.</summary>
    internal void Store(ulong value)
    {
        _isUnread = false;
        _isFailed = _isOfBefore = false;
        Remove(value);
        SortBut(0);
        _values[_count++] = value;
    }

    /// <summary>The disk may come to hold this too: a part of what is stored next.</summary>
    internal void MayHold(ulong value)
    {
        if (_values.AsSpan(0, _count).Contains(value))
        {
            return;
        }

        _values[_count] = _values[_count - 1];
        _values[_count - 1] = value;
        _count++;
        SortBut(_isUnread ? 0 : 1);
    }

    /// <summary>The disk holds what is shown.</summary>
    internal void Sync()
    {
        if (!_isUnread && !_isFailed)
        {
            _values[0] = _values[_count - 1];
            _count = 1;
            _isOfBefore = false;
        }
    }

    /// <summary>Whoever stored this is done with it: another process has the pile from here on, or the recovery has ended.</summary>
    internal void LeaveToNext() => _isOfBefore = IsDirty;

    /// <summary>A sync failed: the kernel takes the page for clean and will not write it again.</summary>
    internal void FailSync() => _isFailed = IsDirty;

    /// <summary>The page is dirtied anew, with what it shows.</summary>
    internal void Dirty() => _isFailed = false;

    /// <summary>The page cache is gone; what the disk holds is shown when somebody reads it.</summary>
    internal void Lose()
    {
        _isUnread = _count > 1;
        _isFailed = _isOfBefore = false;
        SortBut(0);
    }

    /// <summary>What is shown; after a cut any one of what the disk may hold, and that one from here on.</summary>
    internal ulong Read(Chooser chooser)
    {
        if (_isUnread)
        {
            _values[0] = _values[chooser.Choose(_count)];
            _count = 1;
            _isUnread = false;
        }

        return _values[_count - 1];
    }

    /// <summary>Puts the result of <paramref name="map"/> in the place of every value: for values that nobody can tell apart.</summary>
    internal void Map<TArgument>(TArgument argument, Func<TArgument, ulong, ulong> map)
    {
        ulong now = map(argument, _values[_count - 1]);
        int count = 0;
        for (int index = 0; index < _count - 1; index++)
        {
            ulong value = map(argument, _values[index]);
            if (value != now && !_values.AsSpan(0, count).Contains(value))
            {
                _values[count++] = value;
            }
        }

        _values[count++] = now;
        _count = count;
        _isUnread &= count > 1;
        _isFailed &= count > 1;
        _isOfBefore &= count > 1;
        SortBut(_isUnread ? 0 : 1);
    }

    internal void Carry(ref Carrier carrier)
    {
        int shape = _count | (_isUnread ? 16 : 0) | (_isFailed ? 32 : 0) | (_isOfBefore ? 64 : 0);
        carrier.Small(ref shape);
        _count = shape & 15;
        _isUnread = (shape & 16) != 0;
        _isFailed = (shape & 32) != 0;
        _isOfBefore = (shape & 64) != 0;
        for (int index = 0; index < _count; index++)
        {
            carrier.Word(ref _values[index]);
        }
    }

    private void Remove(ulong value)
    {
        int at = _values.AsSpan(0, _count).IndexOf(value);
        if (at >= 0)
        {
            _values.AsSpan(at + 1, _count - at - 1).CopyTo(_values.AsSpan(at));
            _count--;
        }
    }

    private void SortBut(int last) => _values.AsSpan(0, _count - last).Sort();
}
