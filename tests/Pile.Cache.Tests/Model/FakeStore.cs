// A store in a dictionary, behind a table: it notes what is asked of it, waits or fails as a test says, and refuses two calls for a key at once where one of
// them writes.
using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Cache.Tests.Model;

internal sealed class FakeStore : IPileStore<int, string>
{
    private readonly ConcurrentDictionary<int, int> _writing = new();
    private int _loads;
    private int _clashes;

    internal ConcurrentDictionary<int, string> Values { get; } = new();

    internal int Loads => Volatile.Read(ref _loads);

    /// <summary>Writes that met another one of their key.</summary>
    internal int Clashes => Volatile.Read(ref _clashes);

    /// <summary>Called within each call, before it has an effect.</summary>
    internal Func<string, int, CancellationToken, ValueTask> Before { get; set; } = static (_, _, _) => default;

    /// <summary>Called within each load, with what it has found.</summary>
    internal Func<int, ValueTask> Loaded { get; set; } = static _ => default;

    public async ValueTask<PileAnswer<string>> LoadAsync(int key, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _loads);
        await Before("load", key, cancellationToken).ConfigureAwait(false);
        PileAnswer<string> answer = Values.TryGetValue(key, out string? value) ? new PileAnswer<string>(value) : new PileAnswer<string>(TimeSpan.FromSeconds(10));
        await Loaded(key).ConfigureAwait(false);
        return answer;
    }

    public ValueTask SaveAsync(int key, string value, CancellationToken cancellationToken) => WriteAsync("save", key, () => Values[key] = value, cancellationToken);

    public ValueTask DeleteAsync(int key, CancellationToken cancellationToken) => WriteAsync("delete", key, () => Values.TryRemove(key, out _), cancellationToken);

    private async ValueTask WriteAsync(string what, int key, Action effect, CancellationToken cancellationToken)
    {
        if (!_writing.TryAdd(key, key))
        {
            Interlocked.Increment(ref _clashes);
        }

        try
        {
            await Before(what, key, cancellationToken).ConfigureAwait(false);
            effect();
        }
        finally
        {
            _ = _writing.TryRemove(key, out _);
        }
    }
}
