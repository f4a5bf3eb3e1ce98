// An entry of IMemoryCache while it is being made. It is stored when it is disposed, if it was given a value.
// Its setters refuse what an entry can't have, as those of MemoryCache do.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Primitives;

namespace Pile.Caching;

/// <summary>An entry to be stored. Not thread-safe.</summary>
/// <param name="cache">Where to.</param>
/// <param name="key">Its key.</param>
internal sealed class MemoryEntry(PileMemoryCache cache, object key) : ICacheEntry
{
    private readonly List<IChangeToken> _tokens = [];
    private readonly List<PostEvictionCallbackRegistration> _callbacks = [];
    private object? _value;
    private TimeSpan? _relative;
    private TimeSpan? _sliding;
    private long? _size;
    private bool _isDone;

    /// <inheritdoc/>
    public object Key => key;

    /// <summary>Whether it was given a value, null or another.</summary>
    internal bool HasValue { get; private set; }

    /// <inheritdoc/>
    public object? Value
    {
        get => _value;
        set => (_value, HasValue) = (value, true);
    }

    /// <inheritdoc/>
    public DateTimeOffset? AbsoluteExpiration { get; set; }

    /// <inheritdoc/>
    public TimeSpan? AbsoluteExpirationRelativeToNow
    {
        get => _relative;
        set => _relative = Positive(value, nameof(AbsoluteExpirationRelativeToNow));
    }

    /// <inheritdoc/>
    public TimeSpan? SlidingExpiration
    {
        get => _sliding;
        set => _sliding = Positive(value, nameof(SlidingExpiration));
    }

    /// <inheritdoc/>
    public IList<IChangeToken> ExpirationTokens => _tokens;

    /// <inheritdoc/>
    public IList<PostEvictionCallbackRegistration> PostEvictionCallbacks => _callbacks;

    /// <inheritdoc/>
    public CacheItemPriority Priority { get; set; } = CacheItemPriority.Normal;

    /// <inheritdoc/>
    public long? Size
    {
        get => _size;
        set => _size = value is not < 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, $"{nameof(Size)} must be 0 or more.");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_isDone)
        {
            _isDone = true;
            if (HasValue)
            {
                cache.Store(this);
            }
        }
    }

    private static TimeSpan? Positive(TimeSpan? value, string name) => value is not { } span || span > TimeSpan.Zero
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must be more than zero.");
}
