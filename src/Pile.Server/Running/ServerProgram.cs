// The program: configuration from a file, the environment and arguments, in this order; the cache, the server, and where it listens. Whatever
// is wrong with any of it ends the start with a line for each mistake, and exit code 2; what goes wrong later, 1.
using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Hosting.Systemd;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;
using Pile.Caching;

namespace Pile.Server.Running;

/// <summary>The program pile-server.</summary>
internal static class ServerProgram
{
    private const int Mistake = 2;

    // The framework has a line for each step of each call, which costs more than the call; where its diagnostics log anything at all, it makes an
    // Activity for each. And a log that nobody reads (a pipe, a driver of containers that blocks) would keep the thread of each call that has a line for it. Below all
    // that is configured.
    private static readonly Dictionary<string, string?> _logged = new()
    {
        ["Logging:Console:MaxQueueLength"] = "25000",
        ["Logging:Console:QueueFullMode"] = nameof(ConsoleLoggerQueueFullMode.DropWrite),
        ["Logging:LogLevel:Microsoft.AspNetCore"] = "Warning",
        ["Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics"] = "None",
        ["Logging:LogLevel:Grpc"] = "Warning",
    };

    /// <summary>Runs until the process is told to stop.</summary>
    /// <returns>The exit code.</returns>
    internal static async Task<int> RunAsync(string[] args)
    {
        if (args.Any(static arg => arg is "--help" or "-h" or "-?"))
        {
            await Console.Out.WriteLineAsync(HelpText.Text).ConfigureAwait(false);
            return 0;
        }

        try
        {
            WebApplication application = Build(args);
            await using (application.ConfigureAwait(false))
            {
                // Before the host does it, which would log a mistake with the stack that it came by.
                application.Services.GetService<IStartupValidator>()?.Validate();
                await RunAsync(application).ConfigureAwait(false);
            }

            return 0;
        }
        catch (OptionsValidationException mistakes)
        {
            foreach (string failure in mistakes.Failures)
            {
                await Console.Error.WriteLineAsync(failure).ConfigureAwait(false);
            }

            await Console.Error.WriteLineAsync("'pile-server --help' lists the arguments.").ConfigureAwait(false);
            return Mistake;
        }
        catch (Exception failure) when (failure is PileException or IOException or CryptographicException or UnauthorizedAccessException or Win32Exception)
        {
            await Console.Error.WriteLineAsync(failure.Message).ConfigureAwait(false);
            return 1;
        }
    }

    /// <summary>The program as an application that is not started.</summary>
    /// <exception cref="OptionsValidationException">A setting can't be so.</exception>
    internal static WebApplication Build(string[] args, Action<WebApplicationBuilder>? configure = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { Args = [], ApplicationName = "Pile.Server" });
        builder.Configuration.Sources.Insert(0, new MemoryConfigurationSource { InitialData = _logged });
        ArgumentReader.AddTo(builder.Configuration, args);
        RefuseUnknownLogging(builder.Configuration);
        (ListenOptions listen, ListenAddress[] addresses, ListenAddress[] healthAddresses) = ListenOptions.Read(builder.Configuration);
        var telemetry = TelemetryOptions.Read(builder.Configuration);
        if (listen.Problems.Count + telemetry.Problems.Count > 0)
        {
            throw new OptionsValidationException(ListenOptions.Section, typeof(ListenOptions), [.. listen.Problems, .. telemetry.Problems]);
        }

        if (Environment.GetEnvironmentVariable("NOTIFY_SOCKET") is { Length: > 0 })
        {
            // AddSystemd looks for systemd by the name of the process above, which a unit with ProtectProc hides: such a service would never count as started.
            _ = builder.Services.AddSingleton<ISystemdNotifier, SystemdNotifier>().AddSingleton<IHostLifetime, SystemdLifetime>()
                .Configure<ConsoleLoggerOptions>(static options => options.FormatterName = ConsoleFormatterNames.Systemd);
        }

        if (builder.Configuration["Logging:Console:FormatterName"] is { } format)
        {
            // The slim builder would write plain lines whatever the configuration says.
            _ = builder.Services.Configure<ConsoleLoggerOptions>(options => options.FormatterName = format);
        }

        if (healthAddresses.Length > 0)
        {
            // Before the cache: what is added first starts first, and is stopped last.
            _ = builder.Services.AddSingleton(services => new HealthListener(services, listen, healthAddresses)).AddHostedService(static services => services.GetRequiredService<HealthListener>());
        }

        configure?.Invoke(builder);
        _ = builder.AddPileCache();
        _ = builder.AddPileServer();
        TelemetryExport.AddTo(builder.Services, telemetry);
        Listening.On(builder.WebHost.PreferHostingUrls(false), listen, addresses);
        WebApplication application = Built(builder);
        _ = application.MapPile();
        DirectRoutes.AddTo(application);
        return application;
    }

    private static async Task RunAsync(WebApplication application)
    {
        IHostApplicationLifetime life = application.Lifetime;
        using var hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            // Of a terminal that is closed: by itself it would end the process as a kill does.
            context.Cancel = true;
            life.StopApplication();
        });
        try
        {
            await application.RunAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (life.ApplicationStopping.IsCancellationRequested && !life.ApplicationStarted.IsCancellationRequested)
        {
            // Told to stop while it started: the host cancels the start, and what was opened is closed.
        }
    }

    // The framework would end the process by an exception that has no path.
    private static void RefuseUnknownLogging(ConfigurationManager configuration)
    {
        string[] unknown = [.. configuration.GetSection("Logging").AsEnumerable()
            .Where(static setting => setting.Value is { Length: > 0 })
            .Select(static setting => (setting, Wanted: WantedOf(setting.Key.Split(':'), setting.Value!)))
            .Where(static one => one.Wanted is not null)
            .Select(static one => $"{one.setting.Key} = '{one.setting.Value}' must be {one.Wanted}.")];
        if (unknown.Length > 0)
        {
            throw new OptionsValidationException("arguments", typeof(ServerProgram), unknown);
        }
    }

    private static string? WantedOf(string[] path, string value) => path switch
    {
        [.., var group, _] when group.Equals("LogLevel", StringComparison.OrdinalIgnoreCase) => OneOf<LogLevel>(value),
        [_, var console, var name] when IsOf("Console", console) && IsOf(nameof(ConsoleLoggerOptions.QueueFullMode), name) => OneOf<ConsoleLoggerQueueFullMode>(value),
        [_, var console, var name] when IsOf("Console", console) && IsOf(nameof(ConsoleLoggerOptions.MaxQueueLength), name) =>
            int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int messages) && messages > 0 ? null : "a whole number, 1 or more",
        _ => null,
    };

    private static WebApplication Built(WebApplicationBuilder builder)
    {
        try
        {
            return builder.Build();
        }
        catch (InvalidOperationException unread) when (unread.InnerException is FormatException or ArgumentException)
        {
            // All other settings of the log are read by the framework, which names the value and its key within the section.
            throw new OptionsValidationException("arguments", typeof(ServerProgram), [$"Logging: {unread.Message}"]);
        }
    }

    private static bool IsOf(string wanted, string name) => name.Equals(wanted, StringComparison.OrdinalIgnoreCase);

    private static string? OneOf<TEnum>(string value)
        where TEnum : struct, Enum =>
        Enum.TryParse(value, ignoreCase: true, out TEnum known) && Enum.IsDefined(known) ? null : $"one of {string.Join(", ", Enum.GetNames<TEnum>())}";
}
