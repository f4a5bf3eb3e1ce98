// Ctrl+C and its kin: the first asks the verb to end in order, which removes what it has not finished; the second ends the process.
// What that leaves behind has no pile.meta, and is no pile.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Tool.Running;

/// <summary>Signals that end the command.</summary>
internal sealed class StopSignals : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<PosixSignalRegistration> _registrations = [];
    private int _code = (int)ExitCode.Cancelled;

    internal StopSignals()
    {
        Register(PosixSignal.SIGINT, ExitCode.Cancelled);
        Register(PosixSignal.SIGTERM, ExitCode.Terminated);
        Register(PosixSignal.SIGHUP, ExitCode.HungUp);
    }

    /// <summary>Cancelled by the first signal.</summary>
    internal CancellationToken Token => _stop.Token;

    /// <summary>How a command ends that was asked to.</summary>
    internal ExitCode Code => (ExitCode)Volatile.Read(ref _code);

    /// <inheritdoc/>
    public void Dispose()
    {
        _registrations.ForEach(static registration => registration.Dispose());
        _stop.Dispose();
    }

    private void Register(PosixSignal signal, ExitCode code) => _registrations.Add(PosixSignalRegistration.Create(signal, context =>
    {
        // The signal's own effect only the second time.
        context.Cancel = !_stop.IsCancellationRequested;
        Volatile.Write(ref _code, (int)code);
        _stop.Cancel();
    }));
}
