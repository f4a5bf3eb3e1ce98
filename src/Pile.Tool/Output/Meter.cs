// How far a long work is: what is done of how much, at which rate, and how long the rest will take at that rate.
// It shows nothing: ProgressLines and ProgressBar do.
using System;
using System.Threading;

namespace Pile.Tool.Output;

/// <summary>Progress of one work. Thread-safe.</summary>
/// <param name="what">The work.</param>
/// <param name="ofBytes">Whether bytes are counted, else objects.</param>
/// <param name="clock">The clock.</param>
internal sealed class Meter(string what, bool ofBytes, TimeProvider clock)
{
    private readonly long _started = clock.GetTimestamp();
    private long _done;
    private long _total;

    /// <summary>Told of each report, from any thread.</summary>
    internal Action<Meter> Changed { get; set; } = static _ => { };

    /// <summary>The share that is done, 0 to 1; 0 while nothing is known.</summary>
    internal double Share => Volatile.Read(ref _total) is > 0 and var total ? double.Clamp((double)Volatile.Read(ref _done) / total, 0, 1) : 0;

    /// <summary>Since the beginning.</summary>
    internal TimeSpan Elapsed => clock.GetElapsedTime(_started);

    /// <summary>What is done so far, in units a second.</summary>
    internal double Rate => Elapsed.TotalSeconds is > 0 and var seconds ? Volatile.Read(ref _done) / seconds : 0;

    /// <summary>Says how far it is.</summary>
    internal void Report(long done, long total)
    {
        Volatile.Write(ref _total, total);
        Volatile.Write(ref _done, done);
        Changed(this);
    }

    /// <summary>The library's progress as this one's.</summary>
    internal IProgress<TProgress> As<TProgress>(Func<TProgress, (long Done, long Total)> of) => new Adapter<TProgress>(this, of);

    /// <summary>In words.</summary>
    public override string ToString()
    {
        long done = Volatile.Read(ref _done);
        long total = Volatile.Read(ref _total);
        if (done == 0 && total == 0)
        {
            return $"{what}, {Amount.Span(Elapsed)}";
        }

        string whole = total > 0 ? $" of {Say(total)}, {Amount.Percent(done, total)}" : string.Empty;
        string left = total > done && Rate > 0 ? $", {Amount.Span(TimeSpan.FromSeconds((total - done) / Rate))} left" : string.Empty;
        return $"{what}: {Say(done)}{whole}, {Say((long)Rate)}/s{left}";
    }

    private string Say(long amount) => ofBytes ? Amount.Bytes(amount) : Amount.Count(amount);

    // Progress<T> of the framework tells on other threads, later: here each report counts when it is made.
    private sealed class Adapter<TProgress>(Meter meter, Func<TProgress, (long Done, long Total)> of) : IProgress<TProgress>
    {
        public void Report(TProgress value)
        {
            (long done, long total) = of(value);
            meter.Report(done, total);
        }
    }
}
