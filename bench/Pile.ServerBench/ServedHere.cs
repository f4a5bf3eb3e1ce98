using System;
using System.Linq;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Server.Running;

namespace Pile.ServerBench;

/// <summary>The server's own program in this process. Each line that comes is answered by the bytes that the process has allocated so far.</summary>
internal static class ServedHere
{
    internal static int Run(string[] args)
    {
        WebApplication application = ServerProgram.Build(args, static builder => builder.Logging.SetMinimumLevel(LogLevel.Warning));
        application.StartAsync().GetAwaiter().GetResult();
        Console.WriteLine("listening " + application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
        while (Console.ReadLine() is not null)
        {
            Console.WriteLine(GC.GetTotalAllocatedBytes(precise: true));
        }

        application.StopAsync().GetAwaiter().GetResult();
        return 0;
    }
}
