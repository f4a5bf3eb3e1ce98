// The way to one server: the connections, the generated clients on them, and how a call is made: with its token and deadline, again where it
// failed in passing and may be done again, and with a failure that says all that is known.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Batching;

namespace Pile.Client.Calls;

/// <summary>Calls on one server. Thread-safe.</summary>
internal sealed class ServerLink : IDisposable
{
    private readonly PileClientOptions _options;
    private readonly SslClientAuthenticationOptions? _ssl;
    private readonly BatchLine[] _lines;
    private readonly BatchLine[] _readsApart;
    private readonly ServerChannel _channel;
    private readonly Lock _gate = new();
    private ServerLink? _blocking;
    private volatile bool _isDisposed;
    private volatile bool _areReadsApart;
    private long _heldAt;

    internal ServerLink(PileClientOptions options)
    {
        OptionsCheck.Check(options);
        _options = options;
        Time = options.TimeProvider;
        Uri = Connector.UriOf(options);
        _ssl = Connector.SslOf(options, Uri);
        _channel = new ServerChannel(options, Uri, _ssl, Timeout.InfiniteTimeSpan);
        Large = new LargeChannels(() => new ServerChannel(options, Uri, _ssl, ClientLimits.LargeIdleLasts));
        _lines = LinesOf(options);
        _readsApart = LinesOf(options);
        _areReadsApart = !Looks;
        Tables = new V1.Tables.TablesClient(_channel.Calls);
        Admin = new V1.Admin.AdminClient(_channel.Calls);
        Health = new Grpc.Health.V1.Health.HealthClient(_channel.Calls);
    }

    private ServerLink(ServerLink shared)
    {
        IsBlocking = true;
        _options = shared._options;
        Time = new ThreadClock(shared.Time);
        _ssl = shared._ssl;
        Uri = shared.Uri;
        _channel = shared._channel;
        Large = shared.Large;
        Tables = shared.Tables;
        Admin = shared.Admin;
        Health = shared.Health;
        Budget = shared.Budget;
        _lines = LinesOf(_options);
        _readsApart = LinesOf(_options);
        _areReadsApart = !Looks;
    }

    /// <summary>The same for callers that block a thread while they wait: its lines have connections of their own, read by a thread of their own each, and their timers
    /// another, so that a small Get, Set or Remove comes to its end where the thread pool has no thread left. All else of it is this one's.</summary>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal ServerLink Blocking
    {
        get
        {
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
                return _blocking ??= new ServerLink(this);
            }
        }
    }

    /// <summary>Whether its callers block a thread while they wait.</summary>
    internal bool IsBlocking { get; }

    internal V1.Entries.EntriesClient Entries => _channel.Entries;

    /// <summary>Where values are stored in chunks.</summary>
    internal LargeChannels Large { get; }

    internal V1.Tables.TablesClient Tables { get; }

    internal V1.Admin.AdminClient Admin { get; }

    internal Grpc.Health.V1.Health.HealthClient Health { get; }

    internal string Endpoint => _options.Address;

    internal Uri Uri { get; }

    /// <summary>Where single calls meet, or null where each goes by itself. Calls of one key have one line. What comes over a stream is done one after the other, and a
    /// change may wait for room: while the server holds some, and a while after, reads have lines of their own, which for good would cost all of them a third.</summary>
    internal BatchLine? LineOf(PileKey key, BatchKind kind)
    {
        BatchLine[] lines = kind == BatchKind.Get && _areReadsApart ? _readsApart : _lines;
        return lines.Length switch
        {
            0 => null,
            1 => lines[0],
            _ => lines[(int)((uint)key.GetHashCode() % (uint)lines.Length)],
        };
    }

    /// <summary>Notes whether changes on a line are held. Called now and then while calls are under way.</summary>
    internal void NoteChanges(bool areHeld)
    {
        // Any line's look: each stores what is true for it, and the latest one that holds some decides.
        if (areHeld)
        {
            Volatile.Write(ref _heldAt, Time.GetTimestamp());
            _areReadsApart = true;
        }
        else if (_areReadsApart && Looks && Time.GetElapsedTime(Volatile.Read(ref _heldAt)) >= ClientLimits.ReadsApartLast)
        {
            _areReadsApart = false;
        }
    }

    // Where calls have no end nobody looks what is under way.
    private bool Looks => Deadline != Timeout.InfiniteTimeSpan;

    internal TimeProvider Time { get; }

    internal TimeSpan Deadline => _options.Deadline;

    internal TimeSpan KeepAlive => _options.KeepAlive;

    internal int RetriesMax => _options.RetriesMax;

    internal RetryBudget Budget { get; private init; } = new();

    internal bool IsDisposed => _isDisposed;

    public void Dispose()
    {
        ServerLink? blocking;
        lock (_gate)
        {
            _isDisposed = true;
            blocking = _blocking;
        }

        foreach (BatchLine line in (BatchLine[])[.. _lines, .. _readsApart])
        {
            line.Dispose();
        }

        if (IsBlocking)
        {
            return;
        }

        blocking?.Dispose();
        Large.Dispose();
        _channel.Dispose();
    }

    /// <summary>Makes a connection for a stream of batches.</summary>
    internal Task<Stream> ConnectAsync(CancellationToken cancel) => Connector.ConnectAsync(_options, Uri, _ssl, Time, IsBlocking, cancel);

    /// <summary>Makes a call with one request and one reply.</summary>
    /// <param name="call">The call of the generated client.</param>
    /// <param name="request">The request; sent again where the call is tried again.</param>
    /// <param name="isIdempotent">Whether the call may be done twice.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <exception cref="PileClientException">It failed.</exception>
    internal Task<TReply> CallAsync<TRequest, TReply>(Func<TRequest, CallOptions, AsyncUnaryCall<TReply>> call, TRequest request, bool isIdempotent, CancellationToken cancel) =>
        CallAsync(call, request, isIdempotent, Time.GetTimestamp(), cancel);

    /// <summary>Makes a call that is a part of one that began before, whose deadline it has.</summary>
    internal async Task<TReply> CallAsync<TRequest, TReply>(
        Func<TRequest, CallOptions, AsyncUnaryCall<TReply>> call, TRequest request, bool isIdempotent, long began, CancellationToken cancel)
    {
        string method = CallName<TRequest>.Text;
        Activity? activity = ClientMetrics.Begin(method, Endpoint);
        PileClientException? ended = null;
        try
        {
            return await TryAsync(call, request, isIdempotent, began, cancel).ConfigureAwait(false);
        }
        catch (PileClientException failure)
        {
            ended = failure;
            throw;
        }
        finally
        {
            ClientMetrics.End(activity, method, Endpoint, Time.GetElapsedTime(began), ended);
        }
    }

    /// <summary>Makes a try of a call.</summary>
    internal async Task<TReply> OnceAsync<TRequest, TReply>(
        Func<TRequest, CallOptions, AsyncUnaryCall<TReply>> call, TRequest request, bool isIdempotent, TimeSpan left, CancellationToken cancel)
    {
        using CallBound bound = BoundOf(left, cancel);
        try
        {
            using AsyncUnaryCall<TReply> made = call(request, await OptionsAsync(left, bound, cancel).ConfigureAwait(false));
            return await made.ResponseAsync.ConfigureAwait(false);
        }
        catch (RpcException thrown)
        {
            throw FailureOf(thrown, isIdempotent, cancel, bound);
        }
    }

    /// <summary>Begins the end of a call that may take so long.</summary>
    internal CallBound BoundOf(TimeSpan left, CancellationToken cancel) => new(Time, left, cancel);

    /// <summary>What a call without an end needs beside its request.</summary>
    internal ValueTask<CallOptions> OptionsAsync(CancellationToken cancel) => OptionsAsync(Timeout.InfiniteTimeSpan, bound: null, cancel);

    /// <summary>What a call needs beside its request.</summary>
    /// <param name="left">How long it may take.</param>
    /// <param name="bound">Its end by the client's own clock.</param>
    /// <param name="cancel">Ends the call.</param>
    internal async ValueTask<CallOptions> OptionsAsync(TimeSpan left, CallBound? bound, CancellationToken cancel)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
        var options = new CallOptions(cancellationToken: bound?.Token ?? cancel);
        if (left != Timeout.InfiniteTimeSpan)
        {
            // gRPC compares it with the system's clock, whatever the client's own says.
            options = options.WithDeadline(TimeProvider.System.GetUtcNow().UtcDateTime + left);
        }

        return await AuthorizationAsync(cancel).ConfigureAwait(false) is { } token ? options.WithHeaders(new Metadata { { "authorization", token } }) : options;
    }

    /// <summary>The header that says who is calling, or null.</summary>
    internal async ValueTask<string?> AuthorizationAsync(CancellationToken cancel)
    {
        string? token = _options.TokenProvider is { } provider ? await ProvidedAsync(provider, cancel).ConfigureAwait(false) : _options.Token;
        foreach (char character in token ?? "")
        {
            if (character is < ' ' or > '~')
            {
                throw new PileClientException(
                    $"The token has the character U+{(int)character:X4}, which no header can have: is there a line's end behind it?", StatusCode.Unauthenticated, null, Endpoint, isRetrySafe: true);
            }
        }

        return token is null ? null : "Bearer " + token;
    }

    private BatchLine[] LinesOf(PileClientOptions options) => options.IsBatching ? [.. Enumerable.Range(0, options.Connections).Select(_ => new BatchLine(this))] : [];

    private async ValueTask<string> ProvidedAsync(Func<CancellationToken, ValueTask<string>> provider, CancellationToken cancel)
    {
        // A token of its own: what its callbacks on that throw comes out of nobody else's cancel.
        var ends = new CancellationTokenSource();
        CancellationTokenRegistration given = cancel.UnsafeRegister(static ends => End((CancellationTokenSource)ends!), ends);
        Task<string>? asked = null;
        try
        {
            ValueTask<string> token = provider(ends.Token);
            if (token.IsCompleted)
            {
                return await token.ConfigureAwait(false);
            }

            asked = token.AsTask();
            return await asked.WaitAsync(Deadline, Time, cancel).ConfigureAwait(false);
        }
        catch (TimeoutException late) when (asked is { IsFaulted: false })
        {
            throw new PileClientException($"TokenProvider gave no token within {Deadline.TotalSeconds:0.###} s (Deadline).", StatusCode.DeadlineExceeded, null, Endpoint, isRetrySafe: true, late);
        }
        catch (Exception failure)
        {
            // Also a cancellation of its own, which is not the caller's.
            cancel.ThrowIfCancellationRequested();
            throw new PileClientException($"TokenProvider gave no token: {failure.Message}", StatusCode.Unauthenticated, null, Endpoint, isRetrySafe: true, failure);
        }
        finally
        {
            // Not disposed: that waits for a callback.
            _ = given.Unregister();
            if (asked is { IsCompleted: false })
            {
                End(ends);
            }
        }
    }

    // Nobody waits for a token any more.
    private static void End(CancellationTokenSource ends)
    {
        try
        {
            ends.Cancel();
        }
        catch (AggregateException)
        {
            // Of the provider's callbacks.
        }
    }

    /// <summary>The failure that callers are told.</summary>
    /// <exception cref="OperationCanceledException">The caller has cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    internal PileClientException FailureOf(RpcException thrown, bool isIdempotent, CancellationToken cancel, CallBound? bound = null)
    {
        cancel.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(_isDisposed, typeof(PileClient));
        bool isLate = (thrown.StatusCode == StatusCode.DeadlineExceeded && CallFailures.DetailOf(thrown.Trailers) is null) || (bound is { IsLate: true } && thrown.StatusCode == StatusCode.Cancelled);
        return isLate && Deadline != Timeout.InfiniteTimeSpan ? CallFailures.TooLate(Endpoint, Deadline, isIdempotent, thrown) : CallFailures.Of(thrown, Endpoint, isIdempotent);
    }

    /// <summary>Waits before a call is tried again, or throws its failure where it is not.</summary>
    /// <param name="failure">Why it failed.</param>
    /// <param name="tries">Tries before that.</param>
    /// <param name="began">When the call began.</param>
    /// <param name="cancel">Ends the wait.</param>
    internal async Task BeforeAgainAsync(PileClientException failure, int tries, long began, CancellationToken cancel)
    {
        ClientMetrics.Fail(Endpoint, failure.Code);
        TimeSpan wait = Pause.Before(tries, failure.RetryAfter);
        if (!failure.IsRetrySafe || !CallFailures.IsPassing(failure) || tries >= RetriesMax || (Deadline != Timeout.InfiniteTimeSpan && wait >= Left(began)) || !Budget.TryTake())
        {
            throw failure;
        }

        ClientMetrics.Retry(Endpoint);
        await Pause.ForAsync(wait, Time, cancel).ConfigureAwait(false);
    }

    private async Task<TReply> TryAsync<TRequest, TReply>(Func<TRequest, CallOptions, AsyncUnaryCall<TReply>> call, TRequest request, bool isIdempotent, long began, CancellationToken cancel)
    {
        for (int tries = 0; ; tries++)
        {
            PileClientException failure;
            try
            {
                TReply reply = await OnceAsync(call, request, isIdempotent, Left(began), cancel).ConfigureAwait(false);
                Budget.Succeeded();
                return reply;
            }
            catch (PileClientException thrown)
            {
                failure = thrown;
            }

            await BeforeAgainAsync(failure, tries, began, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>How long a call may still take.</summary>
    internal TimeSpan Left(long began)
    {
        TimeSpan left = Deadline - Time.GetElapsedTime(began);
        return Deadline == Timeout.InfiniteTimeSpan ? Deadline : left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
