using System;
using System.Globalization;
using System.Net.Sockets;
using System.Threading;
using Pile.ServerBench.Load;

namespace Pile.ServerBench;

/// <summary>A client that is there before the server: it begins when it is told to, and tells the first hit.</summary>
internal static class FirstHit
{
    internal static int Run(string address, string key)
    {
        byte[] request = Messages.Get(int.Parse(key, CultureInfo.InvariantCulture));
        Console.WriteLine("ready");
        while (Console.ReadLine() is not null)
        {
            while (!TryGet(address, request))
            {
                Thread.Sleep(1);
            }

            Console.WriteLine("hit");
        }

        return 0;
    }

    private static bool TryGet(string address, byte[] request)
    {
        try
        {
            using var link = new Http2Link(new Uri(address));
            int stream = link.Open("/pile.v1.Entries/Get");
            link.Whole(stream, Messages.WithHead(request));
            var sink = default(OneReply);
            while (!sink.IsEnded)
            {
                link.Receive(ref sink);
            }

            return sink.IsHit;
        }
        catch (SocketException)
        {
            // Nobody listens yet.
            return false;
        }
    }
}
