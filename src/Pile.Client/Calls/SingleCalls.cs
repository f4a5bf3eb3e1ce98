// Calls on one entry: together with those of others over a line, or each by itself. Values that are too large to travel with others go alone,
// and in chunks where they are too large for one message.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Batching;

namespace Pile.Client.Calls;

/// <summary>Get, Set and Remove.</summary>
internal static class SingleCalls
{
    private static readonly Func<V1.Outcome, PileClientOutcome> _outcome = static outcome => (PileClientOutcome)(int)outcome;
    private static readonly Func<V1.Outcome, bool> _isRemoved = static outcome => outcome == V1.Outcome.Removed;

    internal static ValueTask<TResult> GetAsync<TState, TResult>(ServerLink link, string table, PileKey key, TState state, ItemReader<TState, TResult> read, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<TResult>(cancel);
        }

        if (link.LineOf(key, BatchKind.Get) is not { } line)
        {
            return new ValueTask<TResult>(GetAloneAsync(link, table, key, state, read, cancel));
        }

        GetItem<TState, TResult> item = GetItem<TState, TResult>.Rent(link, state, read);
        line.Add(item, BatchKind.Get, table, default, key, default);
        ValueTask<TResult> task = item.Task;
        item.Register(cancel);
        return task;
    }

    internal static ValueTask<PileClientOutcome> SetAsync(ServerLink link, string table, PileKey key, ReadOnlyMemory<byte> value, in PileClientTerms terms, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<PileClientOutcome>(cancel);
        }

        if (link.LineOf(key, BatchKind.Set) is not { } line || terms.Tags is not null || value.Length > ClientLimits.BatchedValueBytesMax)
        {
            return new ValueTask<PileClientOutcome>(SetWhenAsync(link, table, key, value, terms, V1.SetWhen.Always, cancel));
        }

        WireForm.Check(terms);
        OutcomeItem<PileClientOutcome> item = OutcomeItem<PileClientOutcome>.Rent(link, _outcome);
        line.Add(item, BatchKind.Set, table, terms, key, value.Span);
        ValueTask<PileClientOutcome> task = item.Task;
        item.Register(cancel);
        return task;
    }

    internal static ValueTask<bool> RemoveAsync(ServerLink link, string table, PileKey key, CancellationToken cancel)
    {
        if (cancel.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<bool>(cancel);
        }

        if (link.LineOf(key, BatchKind.Remove) is not { } line)
        {
            return new ValueTask<bool>(RemoveAloneAsync(link, table, key, cancel));
        }

        OutcomeItem<bool> item = OutcomeItem<bool>.Rent(link, _isRemoved);
        line.Add(item, BatchKind.Remove, table, default, key, default);
        ValueTask<bool> task = item.Task;
        item.Register(cancel);
        return task;
    }

    /// <summary>Stores by a call of its own, under a condition or without one.</summary>
    internal static async Task<PileClientOutcome> SetWhenAsync(
        ServerLink link, string table, PileKey key, ReadOnlyMemory<byte> value, PileClientTerms terms, V1.SetWhen when, CancellationToken cancel)
    {
        if (when == V1.SetWhen.Always && value.Length > ClientLimits.WholeValueBytesMax)
        {
            return (PileClientOutcome)(int)await LargeCalls.SetAsync(link, table, key, value, WireForm.TermsOf(terms), cancel).ConfigureAwait(false);
        }

        var request = new V1.SetRequest { Table = table, Key = WireForm.KeyOf(key), Value = WireForm.ValueOf(value), Terms = WireForm.TermsOf(terms), When = when };
        return (PileClientOutcome)(int)(await link.CallAsync(link.Entries.SetAsync, request, isIdempotent: when == V1.SetWhen.Always, cancel).ConfigureAwait(false)).Outcome;
    }

    private static async Task<TResult> GetAloneAsync<TState, TResult>(ServerLink link, string table, PileKey key, TState state, ItemReader<TState, TResult> read, CancellationToken cancel)
    {
        long began = link.Time.GetTimestamp();
        try
        {
            V1.GetReply reply = await link.CallAsync(link.Entries.GetAsync, new V1.GetRequest { Table = table, Key = WireForm.KeyOf(key) }, isIdempotent: true, began, cancel).ConfigureAwait(false);
            return read(reply.Found, reply.Value.Span, state);
        }
        catch (PileClientException failure) when (failure.Status == PileStatus.TooLarge && key.Length <= ClientLimits.KeyBytesMax)
        {
            byte[]? value = await LargeCalls.GetAsync(link, table, key.ToArray(), began, cancel).ConfigureAwait(false);
            return read(value is not null, value, state);
        }
    }

    private static async Task<bool> RemoveAloneAsync(ServerLink link, string table, PileKey key, CancellationToken cancel)
    {
        var request = new V1.RemoveRequest { Table = table, Key = WireForm.KeyOf(key) };
        return (await link.CallAsync(link.Entries.RemoveAsync, request, isIdempotent: true, cancel).ConfigureAwait(false)).Outcome == V1.Outcome.Removed;
    }
}
