// Judges the options of a client: each refusal names the option, its value and the range.
// What only a connection can find is the call's to say.
using System;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>The check of options.</summary>
internal static class OptionsCheck
{
    /// <summary>Refuses options that can't be.</summary>
    /// <exception cref="ArgumentException">An option can't be so; the parameter's name is the option's.</exception>
    internal static void Check(PileClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.Address, nameof(options.Address));
        ArgumentNullException.ThrowIfNull(options.Tls, nameof(options.Tls));
        ArgumentNullException.ThrowIfNull(options.TimeProvider, nameof(options.TimeProvider));
        Uri uri = Connector.UriOf(options);
        if ((options.Token is not null || options.TokenProvider is not null) && !options.AllowsTokenInClear && !Connector.IsPrivate(options.Address, uri))
        {
            throw Refused(
                $"A token would go in clear to '{options.Address}', which is another machine: use https://, or set {nameof(options.AllowsTokenInClear)} where the network itself is private.", nameof(options.Address));
        }

        Time(options.Deadline, TimeSpan.FromMilliseconds(1), nameof(options.Deadline), "or Timeout.InfiniteTimeSpan");
        Time(options.ConnectTimeout, TimeSpan.FromMilliseconds(1), nameof(options.ConnectTimeout), "or Timeout.InfiniteTimeSpan");
        Time(options.KeepAlive, TimeSpan.FromSeconds(1), nameof(options.KeepAlive), "or Timeout.InfiniteTimeSpan");
        Range(options.RetriesMax, 0, ClientLimits.RetriesMost, nameof(options.RetriesMax));
        Range(options.Connections, 1, ClientLimits.ConnectionsMost, nameof(options.Connections));
    }

    /// <summary>The refusal of an option.</summary>
    internal static ArgumentException Refused(string message, string option, Exception? cause = null) => new(message, option, cause);

    private static void Time(TimeSpan value, TimeSpan least, string name, string way)
    {
        // The framework's timers take no more.
        var most = TimeSpan.FromMilliseconds(int.MaxValue);
        if (value != Timeout.InfiniteTimeSpan && (value < least || value > most))
        {
            throw new ArgumentOutOfRangeException(name, value, $"It must lie between {least} and {most}, {way}.");
        }
    }

    private static void Range(int value, int least, int most, string name)
    {
        if (value < least || value > most)
        {
            throw new ArgumentOutOfRangeException(name, value, $"It must lie between {least} and {most}.");
        }
    }
}
